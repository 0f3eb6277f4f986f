// Finding one's way in text that is known to be JSON: where a string ends, and where something stands as a JSON pointer (RFC 6901).

/** A longer pointer ends at a place around it instead: keys are the sender's, and an answer must not grow with them. */
const MAX_POINTER = 1000;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const QUOTE = 0x22;

/**
 * The place of the value that begins at `at`, or of the member whose key does; "" for the whole. Asked for what is refused alone, so
 * that a body that is taken pays nothing for it.
 */
export function pointerTo(text: string, at: number): string {
  // Of each level the member or element that is being read: a key, null before the first, or an index.
  const levels: (string | number | null)[] = [];
  for (let i = 0; i <= at; i++) {
    const top = levels.length - 1;
    const token = text[i];
    if (token === '"') {
      const end = endOfString(text, i);
      if (nextSignificant(text, end + 1) === COLON)
        levels[top] = JSON.parse(text.slice(i, end + 1)) as string;
      i = end;
    } else if (i === at) break;
    else if (token === "{" || token === "[") levels.push(token === "[" ? 0 : null);
    else if (token === "}" || token === "]") levels.pop();
    else if (token === "," && typeof levels[top] === "number") levels[top] += 1;
  }
  let pointer = "";
  for (const level of levels) {
    const name = String(level).replaceAll("~", "~0").replaceAll("/", "~1");
    if (level === null || pointer.length + name.length >= MAX_POINTER) break;
    pointer += `/${name}`;
  }
  return pointer;
}

/** Index of the quote that closes the string opened at `start`. */
export function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  let i = start + 1;
  for (let code = text.charCodeAt(i); code !== QUOTE; code = text.charCodeAt(i))
    i += code === BACKSLASH ? 2 : 1;
  return i;
}

/** The first character at or after `from` that is no white space. */
export function nextSignificant(text: string, from: number): number {
  let i = from;
  while (text.charCodeAt(i) <= 0x20) i++;
  return text.charCodeAt(i);
}
