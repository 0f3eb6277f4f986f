// Whom one believes: which logs, and how many of which witnesses must have cosigned a checkpoint (https://c2sp.org/tlog-policy).
//
// Guarantee: a text that the format does not allow is no policy, and never a weaker one.
import { type Cosignature, openCosignatures, readWitness, type Witness } from "./cosignature.ts";
import { type Checkpoint, NoteError, openCheckpoint, readVerifier, type Verifier } from "./note.ts";

/** A text that is no policy; the message names the line. */
export class PolicyError extends Error {}

export interface Policy {
  logs: readonly Verifier[];
  /** Under the policy's own names for them. */
  witnesses: ReadonlyMap<string, Witness>;
  /** Whether these, by the policy's names, are enough. */
  isMet(vouching: ReadonlySet<string>): boolean;
}

type Rule = (vouching: ReadonlySet<string>) => boolean;

/** @throws PolicyError */
export function parsePolicy(text: string): Policy {
  const reading = new PolicyReading();
  for (const [index, line] of text.split("\n").entries()) {
    try {
      reading.take(line);
    } catch (error) {
      if (!(error instanceof PolicyError || error instanceof NoteError)) throw error;
      throw new PolicyError(`line ${index + 1}: ${error.message}`);
    }
  }
  return reading.end();
}

class PolicyReading {
  readonly #logs: Verifier[] = [];
  readonly #witnesses = new Map<string, Witness>();
  readonly #rules = new Map<string, Rule>();
  /** Public keys of logs and of witnesses, and names that are a member of some group. */
  readonly #taken = new Set<string>();
  #quorum: Rule | null = null;

  take(line: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the format forbids
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) throw new PolicyError("it has a control character");
    const [keyword, ...words] = line.split(/[ \t]+/).filter((word) => word !== "");
    if (keyword === undefined || keyword.startsWith("#")) return;
    const lengths: Record<string, [number, number]> = {
      log: [1, 2],
      witness: [2, 3],
      group: [3, Number.POSITIVE_INFINITY],
      quorum: [1, 1],
    };
    const [least, most] = lengths[keyword] ?? [];
    if (least === undefined || most === undefined) throw new PolicyError(`${keyword} is no keyword`);
    if (words.length < least || words.length > most)
      throw new PolicyError(`${keyword} has another number of words`);
    if (keyword === "log") this.#log(words[0]!);
    else if (keyword === "witness") this.#witness(words[0]!, words[1]!);
    else if (keyword === "group") this.#group(words[0]!, words[1]!, words.slice(2));
    else this.#setQuorum(words[0]!);
  }

  end(): Policy {
    const quorum = this.#quorum;
    if (quorum === null) throw new PolicyError("it has no quorum line");
    return { logs: this.#logs, witnesses: this.#witnesses, isMet: quorum };
  }

  #log(vkey: string): void {
    const log = readVerifier(vkey);
    this.#once(`log ${vkey.split("+").slice(2).join("+")}`, "the key of this log");
    this.#logs.push(log);
  }

  #witness(name: string, vkey: string): void {
    const witness = readWitness(vkey);
    this.#name(name);
    this.#once(`witness ${witness.key}`, "the key of this witness");
    this.#witnesses.set(name, witness);
    this.#rules.set(name, (vouching) => vouching.has(name));
  }

  #group(name: string, threshold: string, members: string[]): void {
    const rules = members.map((member) => {
      const rule = this.#rules.get(member);
      if (rule === undefined) throw new PolicyError(`${member} is not defined above`);
      this.#once(`member ${member}`, `${member}, as the member of a group,`);
      return rule;
    });
    const counts: Record<string, number> = { any: 1, all: members.length };
    const least = counts[threshold] ?? (/^[1-9]\d{0,8}$/.test(threshold) ? Number(threshold) : 0);
    if (least < 1 || least > members.length)
      throw new PolicyError(`${threshold} of ${members.length} is no threshold`);
    this.#name(name);
    this.#rules.set(name, (vouching) => rules.filter((rule) => rule(vouching)).length >= least);
  }

  #setQuorum(name: string): void {
    if (this.#quorum !== null) throw new PolicyError("there is a quorum already");
    const rule = name === "none" ? () => true : this.#rules.get(name);
    if (rule === undefined) throw new PolicyError(`${name} is not defined above`);
    this.#quorum = rule;
  }

  #name(name: string): void {
    if (name === "none" || this.#rules.has(name)) throw new PolicyError(`the name ${name} is taken`);
  }

  #once(what: string, words: string): void {
    if (this.#taken.has(what)) throw new PolicyError(`${words} is given twice`);
    this.#taken.add(what);
  }
}

export interface WitnessedCheckpoint extends Checkpoint {
  signedBy: Verifier[];
  /** Those that vouch for it, by the policy's names. */
  witnesses: string[];
}

/**
 * What a checkpoint says, once one of the policy's logs has signed it, under its own name, and its quorum has cosigned it.
 * @throws NoteError for a malformed note, a signature or cosignature that is wrong, and where the policy is not met, with who is lacking
 */
export async function openByPolicy(
  note: string,
  policy: Policy,
  nowMs?: number,
): Promise<WitnessedCheckpoint> {
  const opened = await openCheckpoint(note, policy.logs);
  if (!opened.signedBy.some(({ name }) => name === opened.origin))
    throw new NoteError("the checkpoint is signed by no log of the policy");
  const { cosignatures, early } = await openCosignatures(note, [...policy.witnesses.values()], nowMs);
  const named = (list: readonly Cosignature[]) =>
    [...policy.witnesses].flatMap(([name, witness]) =>
      witness.isChecked && list.some((each) => each.witness === witness) ? [name] : [],
    );
  const witnesses = named(cosignatures);
  if (policy.isMet(new Set(witnesses))) return { ...opened, witnesses };
  const late = named(early).filter((name) => !witnesses.includes(name));
  const by = witnesses.length === 0 ? "none of the policy's witnesses" : witnesses.join(", ");
  const clock = late.length === 0 ? "" : `, and from the future by ${late.join(", ")}: look at the clock`;
  throw new NoteError(
    `the policy's quorum has not cosigned the checkpoint of ${opened.size} entries: cosigned by ${by}${clock}`,
  );
}
