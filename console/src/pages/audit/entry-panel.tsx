import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@vaultops/sdk/client";
import type { AuditEntry } from "@vaultops/sdk/schema";
import { ShieldCheck, ShieldQuestion, ShieldX } from "lucide-react";
import type { ReactNode } from "react";
import { count } from "../../format/amount.ts";
import { utcExact } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import { Address, Hash, Transaction } from "../../parts/address.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Fact, Facts } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { detailsOf, NO_VAULT } from "./columns.tsx";
import { checkProof } from "./proof.ts";
import { entryQuery, proofQuery } from "./queries.ts";

/** One entry, whole: what it records, and whether it stands in the signed log. */
export function EntryPanel({ id, onClose }: { id: string | undefined; onClose(): void }) {
  const query = useQuery({ ...entryQuery(id ?? ""), enabled: id !== undefined });
  return (
    <Dialog
      title={query.data ? words(query.data.action_type) : "Entry"}
      description={
        query.data && (
          <span className="num text-xs text-ink-3">
            Entry #{query.data.seq}, {utcExact(query.data.timestamp)}
          </span>
        )
      }
      isOpen={id !== undefined}
      onClose={onClose}
    >
      <Loaded query={query} rows={7}>
        {(entry) => <Whole entry={entry} />}
      </Loaded>
    </Dialog>
  );
}

function Whole({ entry }: { entry: AuditEntry }) {
  const { known, reported } = detailsOf(entry);
  return (
    <div className="flex flex-col gap-4">
      <Inclusion entry={entry} />
      <Facts>
        <Fact name="Vault">
          {entry.vault_address === NO_VAULT ? (
            "none"
          ) : (
            <VaultName chainId={entry.chain_id} address={entry.vault_address} />
          )}
        </Fact>
        <Fact name="Actor">
          <Address value={entry.actor_wallet} chainId={entry.chain_id} label="actor" />
        </Fact>
        <Fact name="Recorded">
          <Time at={entry.recorded_at} />
        </Fact>
        <Details of={known} chainId={entry.chain_id} />
      </Facts>
      {reported !== null && Object.keys(reported).length > 0 && (
        <section className="flex flex-col gap-1.5">
          <h3 className="font-medium">As the engine reported it</h3>
          <Facts>
            <Details of={reported} chainId={entry.chain_id} />
          </Facts>
        </section>
      )}
      <details>
        <summary className="cursor-pointer text-ink-2">As the API gives it</summary>
        <div className="relative mt-2 rounded-md border bg-canvas">
          <div className="absolute top-1 right-1">
            <CopyButton text={JSON.stringify(entry, null, 2)} label="the entry as JSON" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
          <pre tabIndex={0} className="max-h-72 overflow-auto p-3 text-2xs">
            {JSON.stringify(entry, null, 2)}
          </pre>
        </div>
      </details>
    </div>
  );
}

function Details({ of, chainId }: { of: Record<string, unknown>; chainId: number }) {
  return Object.entries(of).map(([name, value]) => (
    <Fact key={name} name={words(name)}>
      {shown(name, value, chainId)}
    </Fact>
  ));
}

/** A value of the details in the form that its own shape suggests; what is not known stays as it is. */
function shown(name: string, value: unknown, chainId: number): ReactNode {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value))
    return <Address value={value} chainId={chainId} label={words(name)} />;
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value))
    return name === "tx_hash" ? (
      <Transaction value={value} chainId={chainId} />
    ) : (
      <Hash value={value} label={words(name)} />
    );
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Time at={value} />;
  if (value !== null && typeof value === "object")
    return <code className="break-all text-xs">{JSON.stringify(value)}</code>;
  return <span className="num break-all">{String(value)}</span>;
}

/** Whether the entry is in the signed log, reckoned here from the entry as shown. */
function Inclusion({ entry }: { entry: AuditEntry }) {
  const proof = useQuery(proofQuery(entry.seq));
  if (proof.error)
    return (
      <Line icon={ShieldQuestion} tone="text-ink-2">
        {proof.error instanceof ApiError ? proof.error.detail : proof.error.message}
      </Line>
    );
  if (!proof.data)
    return (
      <Line icon={ShieldQuestion} tone="text-ink-3">
        Checking the proof …
      </Line>
    );
  const { isValid, reason, treeSize, root } = checkProof(entry, proof.data);
  return isValid ? (
    <Line icon={ShieldCheck} tone="text-good">
      In the signed log of {count(treeSize)} entries, checked in this browser. Root{" "}
      {root && <Hash value={root} label="root hash" />}
    </Line>
  ) : (
    <Line icon={ShieldX} tone="text-critical">
      Not proven: {reason}
    </Line>
  );
}

function Line({ icon: Icon, tone, children }: { icon: typeof ShieldX; tone: string; children: ReactNode }) {
  return (
    <p role="status" className="flex items-start gap-2 rounded-md border bg-canvas px-3 py-2">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
