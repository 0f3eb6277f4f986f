// Policies as C2SP writes them: what they demand, and what is no policy.
import { describe, expect, it } from "vitest";
import { toBase64 } from "./bytes.ts";
import { writeVerifier } from "./note.ts";
import { openByPolicy, PolicyError, parsePolicy } from "./policy.ts";
import { testKey, testNote, testWitness } from "./test-notes.ts";

const log = testKey(7);
const [x1, x2, x3, y1] = [1, 2, 3, 4].map((n) => testWitness(n)) as [W, W, W, W];
type W = ReturnType<typeof testWitness>;
const EXAMPLE = `# two of one operator, and one of another
log ${log.vkey}
\twitness X1 ${x1.vkey}
witness X2  ${x2.vkey} https://x2.test/
witness X3 ${x3.vkey}

group X-witnesses 2 X1 X2 X3
witness Y1 ${y1.vkey}
group Y-witnesses any Y1
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;
const note = testNote(`vaultops.test/audit\n5\n${toBase64(new Uint8Array(32).fill(1))}\n`, [log]);
const nowMs = 1_790_000_000_000;
const opened = (text: string, by: W[], policy = EXAMPLE) =>
  openByPolicy(text + by.map((each) => each.cosign(text)).join(""), parsePolicy(policy), nowMs);

describe("a policy", () => {
  it("is met by every set of witnesses that its groups allow, and by no other", () => {
    const { isMet, witnesses, logs } = parsePolicy(EXAMPLE);
    expect([logs.length, [...witnesses.keys()]]).toEqual([1, ["X1", "X2", "X3", "Y1"]]);
    const names = ["X1", "X2", "X3", "Y1"];
    for (let bits = 0; bits < 16; bits++) {
      const vouching = new Set(names.filter((_, i) => (bits >> i) & 1));
      const xs = names.slice(0, 3).filter((name) => vouching.has(name)).length;
      expect([bits, isMet(vouching)]).toEqual([bits, xs >= 2 && vouching.has("Y1")]);
    }
  });

  it("opens a checkpoint that its quorum has cosigned, and says who did", async () => {
    expect(await opened(note, [x1, x3, y1])).toMatchObject({ size: 5, witnesses: ["X1", "X3", "Y1"] });
    await expect(opened(note, [x1, y1])).rejects.toThrow(/quorum has not cosigned.*by X1, Y1/);
    await expect(opened(note, [])).rejects.toThrow(/none of the policy's witnesses/);
  });

  it("counts a witness once, however often it cosigned, and says when a clock is wrong", async () => {
    await expect(opened(note, [x1, x1, y1])).rejects.toThrow(/quorum has not cosigned/);
    const early = note + [x1, x2, y1].map((each) => each.cosign(note, 1_790_003_600)).join("");
    await expect(openByPolicy(early, parsePolicy(EXAMPLE), nowMs)).rejects.toThrow(/look at the clock/);
  });

  it("wants its log's signature under the log's own name, whoever cosigned", async () => {
    const foreign = testNote(note.slice(0, note.indexOf("\n\n") + 1), [testKey(8)]);
    await expect(opened(foreign, [x1, x2, y1])).rejects.toThrow(/no log of the policy/);
    const renamed = testNote(note.slice(0, note.indexOf("\n\n") + 1).replace("vaultops", "other"), [log]);
    await expect(opened(renamed, [x1, x2, y1])).rejects.toThrow(/no log of the policy/);
  });

  it("that names no witness asks for none, if it says so", async () => {
    const none = `log ${log.vkey}\nquorum none\n`;
    expect(await opened(note, [], none)).toMatchObject({ witnesses: [] });
    expect(() => parsePolicy(`log ${log.vkey}\n`)).toThrow(/no quorum line/);
  });
});

const base = `log ${log.vkey}\nwitness A ${x1.vkey}\nwitness B ${x2.vkey}\n`;
it.each([
  ["no quorum", base],
  ["two quorums", `${base}quorum A\nquorum A\n`],
  ["a quorum of somebody who comes later", `quorum A\n${base}`],
  ["a quorum of nobody", `${base}quorum C\n`],
  ["a group without a member", `${base}group G any\nquorum G\n`],
  ["a group that asks for more than it has", `${base}group G 3 A B\nquorum G\n`],
  ["a group that asks for none", `${base}group G 0 A B\nquorum G\n`],
  ["a threshold that is no number", `${base}group G 1x A B\nquorum G\n`],
  ["a member twice in a group", `${base}group G 2 A A\nquorum G\n`],
  ["a member of two groups", `${base}group G any A\ngroup H any A B\nquorum H\n`],
  ["none as a member", `${base}group G any A none\nquorum G\n`],
  ["a witness that is called none", `witness none ${x1.vkey}\nquorum none\n`],
  ["two witnesses of one name", `witness A ${x1.vkey}\nwitness A ${x2.vkey}\nquorum A\n`],
  ["a witness's key under two names", `witness A ${x1.vkey}\nwitness B ${renamed(x1.vkey)}\nquorum A\n`],
  ["a log's key twice", `log ${log.vkey}\nlog ${log.vkey}\nquorum none\n`],
  ["a log's key as a witness's", `witness A ${log.vkey}\nquorum A\n`],
  ["a witness's key as a log's", `log ${x1.vkey}\nquorum none\n`],
  ["a key with another hash", `log ${log.vkey.replace(/\+.{8}\+/, "+00000000+")}\nquorum none\n`],
  ["an unknown word", `${base}quorums A\n`],
  ["too many words", `${base}quorum A B\n`],
  ["a carriage return", `${base}quorum A\r\n`],
])("%s is no policy", (_, text) => {
  expect(() => parsePolicy(text)).toThrow(PolicyError);
});

/** The same public key under another name. */
function renamed(vkey: string): string {
  const raw = Buffer.from(vkey.split("+").slice(2).join("+"), "base64").subarray(1);
  return writeVerifier("another.test/name", raw, 4);
}
