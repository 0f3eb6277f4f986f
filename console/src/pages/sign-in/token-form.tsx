import type { Answer } from "@vaultops/sdk/client";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Field, TextArea } from "../../ui/form/field.tsx";
import { explain, signInWithToken } from "./sign-in.ts";

type Issuers = Answer<"GET /api/v1/auth/config">["issuers"];

/** Where an outside identity provider issues the tokens: they are handed over here. */
export function TokenForm({ issuers, onDone }: { issuers: Issuers; onDone(): void }) {
  const [token, setToken] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ReturnType<typeof explain> | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await signInWithToken(token.trim().replace(/^Bearer\s+/i, ""));
      onDone();
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-lg border bg-panel p-4">
      <div>
        <h2 className="font-semibold">With a token</h2>
        <p className="text-ink-2">
          Accepted from{" "}
          {issuers.map(({ issuer }, index) => (
            <span key={issuer}>
              {index > 0 && ", "}
              <code className="break-all text-ink">{issuer}</code>
            </span>
          ))}
          .
        </p>
      </div>
      <Field
        label="Token (JWT)"
        hint="It stays in this browser and goes to this service alone."
        error={failure && `${failure.text}${failure.requestId ? ` (request ${failure.requestId})` : ""}`}
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={4}
            spellCheck={false}
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        look="primary"
        isBusy={isBusy}
        disabled={token.trim() === ""}
        className="self-start"
      >
        Sign in with this token
      </Button>
    </form>
  );
}
