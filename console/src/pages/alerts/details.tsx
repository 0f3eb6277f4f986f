// An alert's details: whatever its monitor knows, each value as what it is.
import type { ReactNode } from "react";
import { words } from "../../format/words.ts";
import { Address, Hash, Transaction } from "../../parts/address.tsx";
import { Fact, Facts } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";

export function AlertDetails({ details, chainId }: { details: Record<string, unknown>; chainId: number }) {
  return (
    <Facts>
      {Object.entries(details).map(([name, value]) => (
        <Fact key={name} name={words(name)}>
          {shown(name, value, chainId)}
        </Fact>
      ))}
    </Facts>
  );
}

function shown(name: string, value: unknown, chainId: number): ReactNode {
  if (value === null || value === undefined || value === "") return <Unknown />;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") {
    if (/^0x[0-9a-fA-F]{40}$/.test(value))
      return <Address value={value} chainId={chainId} label={words(name).toLowerCase()} />;
    if (/^0x[0-9a-f]{64}$/.test(value))
      return name === "tx_hash" ? (
        <Transaction value={value} chainId={chainId} />
      ) : (
        <Hash value={value} label={words(name).toLowerCase()} />
      );
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Time at={value} />;
    return <span className="num break-words">{value}</span>;
  }
  if (typeof value === "number") return <span className="num">{value}</span>;
  return <code className="break-all text-left font-mono text-xs">{JSON.stringify(value)}</code>;
}
