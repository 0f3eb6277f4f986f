// Words that messages are made of. What contracts, engines and clients chose is cleaned and cut here; markup is the channels' matter.
import { formatUnits } from "viem";
import { cleanText, shortAddress } from "../../chain/text.ts";

const NAME_LENGTH = 64;
const ERROR_LENGTH = 300;

/** The vault's own name, fit to be shown; null where it has none. */
export function nameOf(name: string | null): string | null {
  return cleanText(name ?? "", NAME_LENGTH) || null;
}

/** `Alpha (0x1234…cdef on Base)`: the address too, since anybody may name a vault anything. */
export function vaultWords(vault: { name: string | null; address: string; chainName: string }): string {
  const name = nameOf(vault.name);
  const address = shortAddress(vault.address);
  const chain = cleanText(vault.chainName, NAME_LENGTH);
  return name === null ? `The vault ${address} on ${chain}` : `${name} (${address} on ${chain})`;
}

/** What somebody else wrote, in quotes; empty where there is nothing. */
export function errorWords(error: string | null): string {
  const clean = cleanText((error ?? "").replace(/\s+/g, " "), ERROR_LENGTH);
  return clean === "" ? "" : `: “${clean}”`;
}

export interface Unit {
  decimals: number | null;
  symbol: string | null;
}

/** `12.5 UP`; in raw units where the token's decimals are not known. */
export function amountWords(raw: bigint, { decimals, symbol }: Unit): string {
  if (decimals === null) return `${raw} raw units`;
  const name = cleanText(symbol ?? "", 16);
  return `${formatUnits(raw, decimals)}${name === "" ? "" : ` ${name}`}`;
}

/** `1,234,567 USD`, whole dollars, cut. */
export function dollarWords(usdE18: bigint): string {
  return `${(usdE18 / 10n ** 18n).toLocaleString("en-US")} USD`;
}

/** `90 s`, `15 min`, `2 h`, `3 days` */
export function durationWords(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} days`;
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds * 10) / 10} s`;
}
