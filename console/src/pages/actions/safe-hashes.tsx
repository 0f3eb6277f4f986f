// What the owners of a Safe compare with what their signing devices show, and what the owners of a Safe that owns it do.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { VaultPlace } from "../../api/actions.ts";
import { Address } from "../../parts/address.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Field, Input } from "../../ui/form/field.tsx";
import { Fact, Facts } from "../../ui/panel.tsx";
import { approvedQuery, type PreparedAction } from "./queries.ts";

type Safe = NonNullable<PreparedAction["formats"]["safe"]>;

export function SafeHashes({
  action,
  safe,
  place,
}: {
  action: PreparedAction;
  safe: Safe;
  place: VaultPlace;
}) {
  return (
    <>
      <section className="flex flex-col gap-1">
        <h3 className="font-medium">Hashes to compare on each device</h3>
        <Transaction of={safe} name="the Safe's transaction" />
      </section>
      {safe.owner_safes.length > 0 && <OwnerSafes action={action} known={safe.owner_safes} place={place} />}
    </>
  );
}

function Transaction({ of, name }: { of: Omit<Safe, "owner_safes">; name: string }) {
  return (
    <>
      <Hashes
        shown={[
          ["Domain", of.domain],
          ["Message", of.message],
          ["Safe transaction", of.safe_tx_hash],
        ]}
      />
      <span className="inline-flex items-center gap-1 text-xs text-ink-2">
        Copy {name}, nonce {of.transaction.nonce}
        <CopyButton text={JSON.stringify(of.transaction, null, 2)} label={`${name} as JSON`} />
      </span>
    </>
  );
}

function Hashes({ shown }: { shown: readonly (readonly [string, string])[] }) {
  return (
    <Facts>
      {shown.map(([name, value]) => (
        <Fact key={name} name={name}>
          <code className="break-all text-2xs">{value}</code>
          <CopyButton text={value} label={`${name.toLowerCase()} hash`} />
        </Fact>
      ))}
    </Facts>
  );
}

interface OwnerSafesProps {
  action: PreparedAction;
  known: Safe["owner_safes"];
  place: VaultPlace;
}

/** Those sign no hash of this Safe. */
function OwnerSafes({ action, known, place }: OwnerSafesProps) {
  const [nonce, setNonce] = useState("");
  const { data } = useQuery(approvedQuery(place, action.id, nonce.trim()));
  const owners = data?.formats.safe?.owner_safes ?? known;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">Owners that are Safes themselves</h3>
      <p className="text-xs text-ink-2">
        Their owners sign other hashes: of a transaction that approves this one, or of a message.
      </p>
      <Field label="Nonce of the approving transaction" hint="With it, its hashes are shown.">
        {(attributes) => (
          <Input
            {...attributes}
            inputMode="numeric"
            value={nonce}
            onChange={(event) => setNonce(event.target.value)}
          />
        )}
      </Field>
      <ul aria-label="Owners that are Safes themselves" className="flex flex-col gap-3">
        {owners.map(({ safe, approval, signature }) => (
          <li key={safe} className="flex flex-col gap-1">
            <Address value={safe} chainId={action.chain_id} label="owner" />
            {approval && <Transaction of={approval} name="the approving transaction" />}
            {signature && (
              <details>
                <summary className="cursor-pointer text-xs text-ink-2">By a message</summary>
                <Hashes
                  shown={[
                    ["Domain", signature.domain],
                    ["Message", signature.message],
                    ["Safe message", signature.safe_message_hash],
                  ]}
                />
                <span className="inline-flex items-center gap-1 text-xs text-ink-2">
                  Copy what is signed
                  <CopyButton text={signature.content} label="the message's content" />
                </span>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
