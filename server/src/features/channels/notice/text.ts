// Text that others wrote (names of tokens and vaults, reports of engines), made fit for a message: without control characters, cut at
// whole graphemes, escaped so that none of it acts.
//
// Guarantee: nothing returned here holds a control character but the line feed, a character that turns the direction of text, or half
// of a surrogate pair; and what is cut is never longer than its limit in UTF-16 units, the strictest way in which providers count.

const CONTROLS = /[[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]--[\n]]/gv;
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * Several lines of text: every kind of line end becomes a line feed, and no more than one empty line stands in a row. A word joiner
 * keeps a bare URL in it from being made a link: what can be clicked is what the service itself links to.
 */
export function cleanLines(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_ENDS, "\n")
    .replace(/\t/g, " ")
    .replace(CONTROLS, "")
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replaceAll("://", ":\u2060//")
    .trim();
}

/** One line of text: any white space becomes one space. */
export function cleanLine(text: string): string {
  return cleanLines(text).replace(/\s+/g, " ");
}

const ELLIPSIS = "…";
/** Made with the first text that is cut: that takes as long as a good part of a start. */
let graphemes: Intl.Segmenter | undefined;

/** At most `max` UTF-16 units of the text, whole graphemes only, ended by an ellipsis where something is left out. */
export function cut(text: string, max: number): string {
  return cutEscaped(text, max, (part) => part);
}

/**
 * The escaped text in at most `max` UTF-16 units. It is cut before it is escaped, grapheme by grapheme, so that the cut never stands
 * within an entity or an escape sequence.
 */
export function cutEscaped(text: string, max: number, escaped: (text: string) => string): string {
  // No escape makes a text shorter.
  const whole = text.length <= max ? escaped(text) : null;
  if (whole !== null && whole.length <= max) return whole;
  let result = "";
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(text)) {
    const next = escaped(segment);
    if (result.length + next.length + ELLIPSIS.length > max) break;
    result += next;
  }
  return max < ELLIPSIS.length ? "" : result.trimEnd() + ELLIPSIS;
}

/** For HTML and Telegram's subset of it. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** How long it lasted, in the largest two units: `1 h 20 min`. */
export function readableDuration(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
