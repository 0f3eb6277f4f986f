import { Address, Hash } from "../../parts/address.tsx";
import { Time } from "../../ui/time.tsx";

const LONGEST = 160;

/** A value of a record, an entry or a call, in the form that its own shape suggests; what is not known stays as it is. */
export function Value({ value, chainId }: { value: unknown; chainId: number }) {
  if (value === null || value === undefined) return <span className="text-ink-3">none</span>;
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value))
    return <Address value={value} chainId={chainId} />;
  if (typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value))
    return <Hash value={value} label="value" />;
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Time at={value} />;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return <span className="num break-all">{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</span>;
}
