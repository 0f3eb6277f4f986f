// Outside identity providers to which the browser goes and from which it comes back signed in.
import { LoaderCircle, LogIn } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { canGoTo, finish, goTo, hasReturned, type Issuer } from "../../api/outside-sign-in.ts";
import { endExpired } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { Note } from "./note.tsx";
import { explain, signInWithToken } from "./sign-in.ts";

const NAMES = { dynamic: "Dynamic", privy: "Privy", generic: null } as const;

function nameOf({ issuer, profile }: Issuer): string {
  return NAMES[profile] ?? (URL.canParse(issuer) ? new URL(issuer).host : issuer);
}

/** Finishes the sign-in with which the browser came back. `onDone` is told where to go on. */
export function Returned({ onDone }: { onDone(next: string): void }) {
  const [isBusy, setBusy] = useState(hasReturned);
  const [failure, setFailure] = useState<ReturnType<typeof explain> | null>(null);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    if (!hasReturned()) return;
    finish()
      .then(async (found) => {
        if (found === null) return endExpired();
        await signInWithToken(found.token);
        done.current(found.next);
      })
      .catch((error) => setFailure(explain(error)))
      .finally(() => setBusy(false));
  }, []);
  if (failure !== null)
    return (
      <Note tone="critical" title="Not signed in" requestId={failure.requestId}>
        {failure.text}
      </Note>
    );
  if (!isBusy) return null;
  return (
    <p role="status" className="flex items-center gap-2 text-ink-2">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      Checking what the identity provider says
    </p>
  );
}

export function Providers({ issuers, next }: { issuers: readonly Issuer[]; next: string }) {
  return (
    <section aria-label="Identity providers" className="flex flex-col gap-2">
      {issuers.map((issuer) => (
        <Button
          key={issuer.issuer}
          look="primary"
          icon={LogIn}
          disabled={!canGoTo(issuer)}
          onClick={() => void goTo(issuer, next)}
          className="h-11"
        >
          Continue with {nameOf(issuer)}
          {!canGoTo(issuer) && " (does not answer right now)"}
        </Button>
      ))}
    </section>
  );
}
