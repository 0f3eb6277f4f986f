// JSON that says the same to every program: what is verified must be what others read. JSON.parse takes the last of two members of one
// name, another program the first; it rounds numbers that another keeps whole.

/** The value of a text; `fault` says why it is none that can be relied on. */
export function parseUnambiguous(text: string): { value: unknown; fault: string | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { value: null, fault: "it is cut short or damaged: a part of it is not JSON" };
  }
  // Outside of strings a colon follows the name of each member.
  const bare = text.replaceAll(STRING, "");
  const members = membersOf(value, 0);
  if (members === null) return { value, fault: `a value in it is nested deeper than ${MAX_DEPTH}` };
  if (bare.split(":").length - 1 !== members)
    return { value, fault: "a name occurs twice in one object of it" };
  for (const [number] of bare.matchAll(NUMBER)) {
    const read = String(Number(number));
    if (read !== number && decimalOf(read) !== decimalOf(number))
      return { value, fault: `${number.slice(0, 40)} in it is no number that JSON programs agree on` };
  }
  return { value, fault: null };
}

const STRING = /"(?:[^"\\]|\\.)*"/g;
const NUMBER = /-?\d[\d.eE+-]*/g;
/** What is written here is a few levels deep; what goes on for thousands would overflow whoever walks through it. */
const MAX_DEPTH = 1000;

/** How many members all objects within have; null when they are nested too deep. */
function membersOf(value: unknown, depth: number): number | null {
  if (typeof value !== "object" || value === null) return 0;
  if (depth === MAX_DEPTH) return null;
  const parts = Object.values(value);
  let members = Array.isArray(value) ? 0 : parts.length;
  for (const part of parts) {
    const within = membersOf(part, depth + 1);
    if (within === null) return null;
    members += within;
  }
  return members;
}

/** One form for one decimal number: its digits without zeros at either end, and their power of ten. */
function decimalOf(number: string): string {
  const [mantissa = "", exponent = "0"] = number.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return `${number.startsWith("-") ? "-" : ""}${short}e${power}`;
}
