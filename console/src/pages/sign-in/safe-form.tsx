// With a Safe: shows the transaction that its owners sign, and asks by itself whether they have.
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Field, Input, Select } from "../../ui/form/field.tsx";
import { Time } from "../../ui/time.tsx";
import { type Approval, beginApproval, SIGN_MESSAGE_LIBS, tryApproval } from "./safe.ts";
import { explain } from "./sign-in.ts";

/** The service answers a challenge every ten seconds at most. */
const ASK_EVERY_MS = 15_000;

export function SafeForm({ chainIds, onDone }: { chainIds: readonly number[]; onDone(): void }) {
  const [address, setAddress] = useState("");
  const [chainId, setChainId] = useState(chainIds[0] ?? 0);
  const [approval, setApproval] = useState<Approval | null>(null);
  const [failure, setFailure] = useState<ReturnType<typeof explain> | null>(null);

  function fail(error: unknown): void {
    setFailure(explain(error));
    setApproval(null);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setFailure(null);
    await beginApproval(address.trim(), chainId).then(setApproval, fail);
  }

  return (
    <details className="rounded-lg border bg-panel p-4">
      <summary className="cursor-pointer font-semibold">With a Safe</summary>
      <form onSubmit={submit} className="mt-3 flex flex-col gap-3">
        <p className="text-ink-2">
          Its owners sign a transaction that approves this sign-in. It moves nothing, and counts on that chain
          alone.
        </p>
        <Field
          label="Address of the Safe"
          error={failure && `${failure.text}${failure.requestId ? ` (request ${failure.requestId})` : ""}`}
        >
          {(attributes) => (
            <Input
              {...attributes}
              spellCheck={false}
              autoComplete="off"
              value={address}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
        <Field label="Chain">
          {(attributes) => (
            <Select
              {...attributes}
              value={chainId}
              onChange={(event) => setChainId(Number(event.target.value))}
            >
              {chainIds.map((id) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button type="submit" disabled={address.trim() === ""} className="self-start">
          Show the transaction
        </Button>
      </form>
      {approval && <Waiting approval={approval} onDone={onDone} onFailure={fail} />}
    </details>
  );
}

interface WaitingProps {
  approval: Approval;
  onDone(): void;
  onFailure(error: unknown): void;
}

function Waiting({ approval, onDone, onFailure }: WaitingProps) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const ask = () =>
      tryApproval(approval).then(
        (isSignedIn) => {
          if (isOver) return;
          if (isSignedIn) onDone();
          else timer = setTimeout(ask, ASK_EVERY_MS);
        },
        (error) => isOver || onFailure(error),
      );
    timer = setTimeout(ask, ASK_EVERY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  });
  return (
    <div role="status" className="mt-4 flex flex-col gap-2 border-t pt-4">
      <p>
        Send this from the Safe, as a <strong>delegatecall</strong> (operation 1) without value. This page
        signs in by itself once it is in a block, until <Time at={approval.expiresAt} />.
      </p>
      <dl className="flex flex-col gap-2">
        {SIGN_MESSAGE_LIBS.map(([version, library]) => (
          <Part key={version} name={`To (SignMessageLib of Safe ${version})`} value={library} />
        ))}
        <Part name="Data" value={approval.data} />
      </dl>
    </div>
  );
}

function Part({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-2">{name}</dt>
      <dd className="flex items-start gap-1.5">
        <code className="min-w-0 break-all text-xs">{value}</code>
        <CopyButton text={value} label={name} />
      </dd>
    </div>
  );
}
