// RFC 8785 (JSON Canonicalization Scheme): one text for one value, so that a hash over an entry means something.
//
// ECMAScript's own serialisation of strings and numbers is the one the RFC prescribes; what is left is the order of keys
// (by UTF-16 code units, which is how JavaScript sorts strings) and refusing what JSON cannot hold.

/**
 * The canonical text of a JSON value. Members whose value is undefined are left out, as JSON.stringify does. Lone
 * surrogates, which the RFC forbids, become U+FFFD, in names of members too; what is no JSON (a bigint, NaN, a function) throws TypeError.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return PLAIN.test(value) ? `"${value}"` : JSON.stringify(isSound(value) ? value : mended(value));
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? `[${value.map(canonicalJson).join(",")}]` : canonicalObject(value);
    default:
      throw new TypeError(`a ${typeof value} has no JSON form`);
  }
}

function canonicalObject(value: object): string {
  const members = withSoundNames(value as Record<string, unknown>);
  let text = "";
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${canonicalJson(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Before they are sorted: mended afterwards, names would stand in another order, or two of them be one. */
function withSoundNames(members: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(members);
  const broken = names.filter((name) => !PLAIN.test(name) && !isSound(name));
  if (broken.length === 0) return members;
  const taken = new Set(names);
  const soundNames = new Map<string, string>();
  for (const name of broken.sort()) {
    let sound = mended(name);
    while (taken.has(sound)) sound += "\ufffd";
    taken.add(sound);
    soundNames.set(name, sound);
  }
  return Object.fromEntries(names.map((name) => [soundNames.get(name) ?? name, members[name]]));
}

/** What JSON writes as it is: most texts, and all names of an entry's members. */
const PLAIN = /^[ !#-[\]-~]*$/;
// As String.isWellFormed and toWellFormed, which not every engine that this runs on has.
const LONE_SURROGATES = /\p{Surrogate}/gu;
const isSound = (text: string) => text.search(LONE_SURROGATES) < 0;
const mended = (text: string) => text.replace(LONE_SURROGATES, "\ufffd");
