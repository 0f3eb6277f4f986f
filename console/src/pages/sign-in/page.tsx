// Sign in: the wallets found in this browser, a Safe, an outside identity provider or its token; and why the last session ended.
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { LoaderCircle, Wallet as WalletIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { useEndReason } from "../../api/session.ts";
import { useWallets, type Wallet } from "../../browser/wallets.ts";
import { MoreLink } from "../../ui/more-link.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Note } from "./note.tsx";
import { Providers, Returned } from "./providers.tsx";
import { configQuery } from "./queries.ts";
import { SafeForm } from "./safe-form.tsx";
import { explain, type Stage, signInWithWallet } from "./sign-in.ts";
import { TokenForm } from "./token-form.tsx";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  return <SignIn next={next ?? "/"} onDone={(place = next ?? "/") => router.history.push(place)} />;
}

interface SignInProps {
  /** Where to go on after leaving for a provider; default: where the page stands. */
  next?: string;
  /** What follows on the session's begin, where anything does. */
  onDone?(next?: string): void;
}

export function SignIn({ next = location.pathname + location.search, onDone = () => {} }: SignInProps) {
  const { data: config, error, refetch } = useQuery(configQuery);
  const byProvider = config?.issuers.filter((issuer) => issuer.console !== null) ?? [];
  const byToken = config?.issuers.filter((issuer) => issuer.console === null) ?? [];
  useEffect(() => {
    document.title = "Sign in · VaultOps";
  }, []);
  return (
    <div className="mx-auto mt-[6vh] w-full max-w-md">
      <h1 className="text-xl font-semibold tracking-tight">Sign in</h1>
      <p className="mt-1 text-ink-2">
        Your wallet signs a message. It is not a transaction, costs nothing, and can move nothing.
      </p>
      <Reason />
      <div className="mt-5 flex flex-col gap-5">
        {config === undefined && error !== null && <ErrorState error={error} retry={refetch} />}
        {config === undefined && error === null && <Skeleton className="h-40 w-full" />}
        <Returned onDone={onDone} />
        {byProvider.length > 0 && <Providers issuers={byProvider} next={next} />}
        {config?.embedded && <Wallets chainIds={config.embedded.chain_ids} onDone={onDone} />}
        {config?.embedded && <SafeForm chainIds={config.embedded.chain_ids} onDone={onDone} />}
        {byToken.length > 0 && <TokenForm issuers={byToken} onDone={onDone} />}
        {config && !config.embedded && config.issuers.length === 0 && (
          <Note tone="warning" title="Nobody can sign in here yet">
            The service has no identity provider: its configuration names none under <code>auth.issuers</code>
            , and the embedded one is off.
          </Note>
        )}
        <MoreLink to="/">Look at the public listing instead</MoreLink>
      </div>
    </div>
  );
}

/** Why the last session ended, where the person did not end it. */
function Reason() {
  const reason = useEndReason();
  if (reason === null) return null;
  return (
    <div className="mt-4">
      <Note tone="warning" title={reason.title} requestId={reason.requestId}>
        {reason.detail}
      </Note>
    </div>
  );
}

const STAGES: Record<Stage, string> = {
  connect: "Choose an account in the wallet",
  sign: "Sign the message in the wallet",
  check: "Checking the signature",
};

function Wallets({ chainIds, onDone }: { chainIds: readonly number[]; onDone(): void }) {
  const wallets = useWallets();
  const [waiting, setWaiting] = useState<{ id: string; stage: Stage } | null>(null);
  const [failure, setFailure] = useState<ReturnType<typeof explain> | null>(null);

  async function signIn({ id, provider }: Wallet): Promise<void> {
    setFailure(null);
    try {
      await signInWithWallet(provider, chainIds, (stage) => setWaiting({ id, stage }));
      onDone();
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setWaiting(null);
    }
  }

  return (
    <section aria-label="Wallets" className="flex flex-col gap-3">
      {failure && (
        <Note tone="critical" title="Not signed in" requestId={failure.requestId}>
          {failure.text}
        </Note>
      )}
      {wallets.length === 0 ? (
        <div className="rounded-lg border border-dashed border-line-strong p-5 text-center text-ink-2">
          <WalletIcon aria-hidden className="mx-auto mb-2 size-5 text-ink-3" />
          <p className="font-medium text-ink">No wallet found in this browser</p>
          <p>Install or unlock one; it appears here by itself.</p>
        </div>
      ) : (
        <ul className="overflow-hidden rounded-lg border bg-panel">
          {wallets.map((wallet) => (
            <li key={wallet.id} className="border-b last:border-b-0">
              <button
                type="button"
                disabled={waiting !== null}
                onClick={() => void signIn(wallet)}
                className="flex h-14 w-full items-center gap-3 px-3.5 text-left hover:bg-hover focus-visible:-outline-offset-2 disabled:hover:bg-transparent"
              >
                {wallet.icon ? (
                  <img src={wallet.icon} alt="" width={28} height={28} className="size-7 rounded-lg" />
                ) : (
                  <WalletIcon aria-hidden className="size-7 p-1 text-ink-2" />
                )}
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{wallet.name}</span>
                  {waiting?.id === wallet.id && (
                    <span role="status" className="block text-xs text-ink-2">
                      {STAGES[waiting.stage]}
                    </span>
                  )}
                </span>
                {waiting?.id === wallet.id && (
                  <LoaderCircle aria-hidden className="size-4 animate-spin text-ink-2" />
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
