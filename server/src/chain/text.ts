// Text that a contract chose. Names, symbols and reasons are shown to people and stored as JSON, so what could deceive the one
// or break the other is taken out: control characters (NUL among them, which PostgreSQL's JSON refuses), line breaks, marks that
// turn the direction of writing or cannot be seen, halves of surrogate pairs, and whatever goes past the length.

export const NAME_LENGTH = 128;
export const SYMBOL_LENGTH = 32;
export const REASON_LENGTH = 512;

// Controls; format characters (bidirectional marks, zero widths, tags, the byte order mark) save the joiner of emoji; line and
// paragraph separators; private use; noncharacters and unassigned ones.
const UNWANTED = /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|(?!\u200d)\p{Cf}/gu;

/** The text freed of what must not be shown or stored, at most so many characters long. May be empty. */
export function cleanText(text: string, maxLength: number): string {
  const clean = text
    .slice(0, maxLength * 8)
    .toWellFormed()
    .replace(UNWANTED, "")
    .trim();
  const characters = [...clean];
  return characters.length <= maxLength ? clean : characters.slice(0, maxLength).join("").trim();
}

/** Bytes in hex without `0x`, read as UTF-8; what is not valid there becomes the replacement character. */
export function utf8(hex: string): string {
  return Buffer.from(hex, "hex").toString("utf8");
}

/** An address as people tell them apart: `0x10AC…4698`. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
