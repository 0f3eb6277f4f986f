// Where the calls go from here: into a wallet that signs and sends them, into a file for Safe's transaction builder, or onto the clipboard.
// This service signs nothing.
import { useQueryClient } from "@tanstack/react-query";
import { Download, Wallet as WalletIcon } from "lucide-react";
import { useState } from "react";
import type { VaultPlace } from "../../api/actions.ts";
import { call } from "../../api/client.ts";
import { useWallets, type Wallet } from "../../browser/wallets.ts";
import { Address } from "../../parts/address.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { FormError } from "../../ui/form/form-error.tsx";
import { Panel } from "../../ui/panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { type PreparedAction, preparedQuery, recentQuery } from "./queries.ts";
import { SafeHashes } from "./safe-hashes.tsx";
import { type Stage, sendCalls } from "./sending.ts";
import { SubmitForm } from "./submit-form.tsx";

const STAGES: Record<Stage, string> = {
  connect: "Choose the account in the wallet",
  sign: "Confirm in the wallet",
  mine: "Waiting for the block",
};

const PAUSE_MS = 1_000;

export function SignPanel({ action, place }: { action: PreparedAction; place: VaultPlace }) {
  const [waiting, setWaiting] = useState<{ id: string; stage: Stage } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const wallets = useWallets();
  const tell = useTell(action, place);

  async function send({ id, provider }: Wallet): Promise<void> {
    setError(null);
    try {
      await sendCalls(provider, action, {
        onStage: (stage) => setWaiting({ id, stage }),
        onHash: async (hash) => {
          await tell({ transaction_hash: hash });
          toast({ tone: "good", title: "Sent", detail: hash });
        },
        pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
      });
    } catch (refusal) {
      setError(refusal);
    } finally {
      setWaiting(null);
    }
  }

  const { formats } = action;
  return (
    <Panel title="Sign and send">
      <div className="flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-x-1 text-ink-2">
          To be sent by <Address value={action.from} chainId={action.chain_id} label="sender" />
        </p>
        {wallets.length === 0 ? (
          <p className="text-ink-3">No wallet is found in this browser; one that you install appears here.</p>
        ) : (
          <ul aria-label="Wallets" className="flex flex-col gap-2">
            {wallets.map((wallet) => (
              <li key={wallet.id} className="flex flex-wrap items-center gap-2">
                <Button
                  icon={WalletIcon}
                  look="primary"
                  disabled={waiting !== null}
                  isBusy={waiting?.id === wallet.id}
                  onClick={() => void send(wallet)}
                >
                  Sign with {wallet.name}
                </Button>
                {waiting?.id === wallet.id && (
                  <span role="status" className="text-xs text-ink-2">
                    {STAGES[waiting.stage]}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
        <FormError error={error} />
        <div className="flex flex-wrap items-center gap-2">
          {formats.safe_transaction_builder && (
            <Button icon={Download} onClick={() => download(action)}>
              Download for Safe
            </Button>
          )}
          <span className="inline-flex items-center gap-1 text-xs text-ink-2">
            Copy for <code>wallet_sendCalls</code>
            <CopyButton text={JSON.stringify(formats.eip5792, null, 2)} label="the calls as JSON" />
          </span>
        </div>
        {formats.safe && <SafeHashes action={action} safe={formats.safe} place={place} />}
        <SubmitForm tell={tell} />
      </div>
    </Panel>
  );
}

/** Tells the service by which transaction it was sent; the page then shows the action as it is. */
function useTell(action: PreparedAction, place: VaultPlace) {
  const queries = useQueryClient();
  return async (body: { transaction_hash: string } | { safe_tx_hash: string }): Promise<void> => {
    await call("POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}/submissions", {
      path: { ...place, id: action.id },
      body,
    });
    await queries.invalidateQueries({ queryKey: preparedQuery(place, action.id).queryKey });
    await queries.invalidateQueries({ queryKey: recentQuery(place).queryKey });
  };
}

function download({ id, action, formats }: PreparedAction): void {
  const file = new Blob([JSON.stringify(formats.safe_transaction_builder, null, 2)], {
    type: "application/json",
  });
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = `${action}-${id.slice(0, 8)}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
