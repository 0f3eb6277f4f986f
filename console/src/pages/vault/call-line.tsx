import { words } from "../../format/words.ts";
import { Address, Hash } from "../../parts/address.tsx";

interface Call {
  target: string | null;
  function: string | null;
  arguments: Record<string, unknown> | null;
  calldata: string | null;
}

/** A call that waits: the function with its arguments by name; data that is no known call as it is. */
export function CallLine({ call, chainId }: { call: Call; chainId: number }) {
  return (
    <div className="mt-0.5 flex flex-col gap-0.5 text-ink-2">
      {call.function === null && call.calldata !== null && (
        <p>
          <span className="text-ink-3">not a known call of its target </span>
          <code className="break-all text-xs">{cut(call.calldata)}</code>
        </p>
      )}
      {Object.entries(call.arguments ?? {}).map(([name, value]) => (
        <p key={name} className="flex flex-wrap items-center gap-x-1.5">
          <span className="text-ink-3">{words(name)}</span>
          <Argument value={value} chainId={chainId} />
        </p>
      ))}
      {call.target !== null && (
        <p className="flex items-center gap-1 text-xs text-ink-3">
          on <Address value={call.target} chainId={chainId} label="target" />
        </p>
      )}
    </div>
  );
}

function Argument({ value, chainId }: { value: unknown; chainId: number }) {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value))
    return <Address value={value} chainId={chainId} />;
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value))
    return <Hash value={value} label="value" />;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return <span className="num break-all">{cut(text)}</span>;
}

const LONGEST = 200;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
