// Files that were made to be read in two ways, or to look whole: the verifier refuses each, so that what it calls sound says the same
// to a spreadsheet, a JSON parser and an eye.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical.ts";
import { NoteError } from "./note.ts";
import { CSV_HEADER } from "./reader.ts";
import { testEntry, testExport } from "./test-export.ts";
import { testKey } from "./test-notes.ts";
import { verifyExport } from "./verify-export.ts";

const texts = [1, 2].map((seq) => canonicalJson(testEntry(seq)));
const json = (logs: string, end = '"total":2,"checkpoint":null') => `{"logs":[\n${logs}],${end}}\n`;
const ndjson = (...lines: string[]) => `${lines.join("\n")}\n`;
const row = (seq: number, details = '{""assets"":""1""}') => {
  const { id, timestamp, recorded_at, action_type, vault_address, chain_id, actor_wallet } = testEntry(seq);
  return `${[id, seq, timestamp, recorded_at, action_type, vault_address, chain_id, actor_wallet].join()},"${details}"`;
};
const csv = (...rows: string[]) => rows.map((each) => `${each}\r\n`).join("");
const END = '{"total":2,"checkpoint":null}';

/** In pieces of so many bytes. */
const check = (text: string, length = 7) => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
    bytes.subarray(i * length, (i + 1) * length),
  );
  return verifyExport(Readable.from(pieces), { keys: [] });
};

describe("a file as an export writes it holds, in whatever pieces it comes", () => {
  it.each([
    ["JSON", json(texts.join(",\n"))],
    ["JSON laid out otherwise", JSON.stringify(JSON.parse(json(texts.join())), null, 2)],
    ["NDJSON", ndjson(...texts, END)],
    ["CSV", csv(CSV_HEADER, row(1), row(2))],
    [
      "numbers of every form that mean the same",
      json(`${canonicalJson(testEntry(1, { n: [1e21, 1e-7, -1.5, 0] }))},${texts[1]}`)
        .replace("1e-7", "1E-07")
        .replace("-1.5", "-1.50"),
    ],
    [
      "colons, braces and quotes within strings",
      json(`${canonicalJson(testEntry(1, { 'a":{': '\\","b":[1:2]}' }))},${texts[1]}`),
    ],
  ])("%s", async (_, text) => {
    for (const length of [1, 7, 100_000])
      expect(await check(text, length)).toMatchObject({ entries: 2, failure: null });
  });
});

describe("a file that reads in two ways is refused", () => {
  const twice = texts[0]!.replace("{", '{"action_type":"withdraw",');
  const nested = texts[0]!.replace('{"assets"', '{"assets":"9","assets"');
  const large = canonicalJson(testEntry(1, { n: 9007199254740992 })).replace(
    "9007199254740992",
    "9007199254740993",
  );
  it.each([
    [
      "JSON with a second list of entries after the first",
      json(texts.join(), `"total":2,"checkpoint":null,"logs":[${twice}]`),
    ],
    ["JSON with another list before", `{"logs":0,${json(texts.join()).slice(1)}`],
    [
      "JSON with something else beside its end",
      json(texts.join(), '"total":2,"checkpoint":null,"note":"audited"'),
    ],
    ["JSON with two totals", json(texts.join(), '"total":3,"total":2,"checkpoint":null')],
    ["JSON with a total that is no number", json(texts.join(), '"total":"2","checkpoint":null')],
    ["JSON with a text between its entries", json(`${texts[0]},"x",${texts[1]}`)],
    ["JSON with a number between its entries", json(`${texts[0]},7,${texts[1]}`)],
    ["JSON with an array for an entry", json(`[${texts[0]}],${texts[1]}`)],
    ["JSON without a comma between entries", json(texts.join(" "))],
    ["JSON with a comma after the last entry", json(`${texts.join()},`)],
    ["JSON with something after it", `${json(texts.join())}{"logs":[]}`],
    ["JSON with its end in the list", json(`${texts.join()},${END}`)],
    ["an entry with a name twice", json(`${twice},${texts[1]}`)],
    ["an entry with a nested name twice", json(`${nested},${texts[1]}`)],
    ["a name twice, once by an escape", json(`${twice.replace("action", "\\u0061ction")},${texts[1]}`)],
    ["a number that a double does not hold", json(`${large},${texts[1]}`)],
    [
      "a detail nested so deep that readers give up",
      json(`${texts[0]!.replace('"1"', `${"[".repeat(5000)}${"]".repeat(5000)}`)},${texts[1]}`),
    ],
    ["NDJSON with a name twice", ndjson(twice, texts[1]!, END)],
    ["NDJSON with more beside its end", ndjson(...texts, '{"total":2,"checkpoint":null,"logs":[]}')],
    ["NDJSON with entries after its end", ndjson(texts[0]!, END, texts[1]!)],
    ["NDJSON with an array for an entry", ndjson(`[${texts[0]}]`, texts[1]!, END)],
    [
      "CSV with two columns exchanged in its header",
      csv(
        CSV_HEADER.replace("vault_address", "x")
          .replace("actor_wallet", "vault_address")
          .replace("x", "actor_wallet"),
        row(1),
        row(2),
      ),
    ],
    ["CSV with line feeds alone", csv(CSV_HEADER, row(1), row(2)).replaceAll("\r\n", "\n")],
    ["CSV with a nested name twice", csv(CSV_HEADER, row(1, '{""assets"":""9"",""assets"":""1""}'), row(2))],
    ["CSV with one cell too many", csv(CSV_HEADER, `${row(1)},x`, row(2))],
    ["CSV with a number written otherwise", csv(CSV_HEADER, row(1).replace(",1,0x1", ",01,0x1"), row(2))],
    ["CSV with a formula in a cell", csv(CSV_HEADER, row(1).replace("deposit", '"=1+1"'), row(2))],
  ])("%s", async (_, text) => {
    for (const length of [7, 100_000]) {
      const { failure } = await check(text, length);
      expect(failure?.reason).toMatch(/\w/);
    }
  });

  it("and so are bytes that are not UTF-8", async () => {
    const file = Readable.from([Buffer.from('{"logs":[{"a":"'), Buffer.from([0xff]), Buffer.from('"}]')]);
    expect((await verifyExport(file, { keys: [] })).failure?.reason).toContain("UTF-8");
  });
});

describe("an export is ok only when all of it is proven under a key", () => {
  const { text, key, checkpoint } = testExport(20);
  const whole = testExport(20, { proofs: false }).text;
  const keys = [key];

  it.each([
    ["as text", text],
    ["as bytes", new TextEncoder().encode(text)],
    ["in pieces of a web stream", new Blob([text]).stream()],
    ["in pieces of a file", Readable.from([Buffer.from(text)])],
  ])("by the proof of each entry, %s", async (_, file) => {
    expect(await verifyExport(file, { keys })).toEqual({
      ok: true,
      failure: null,
      depth: "proofs",
      format: "ndjson",
      entries: 20,
      checkpoint: { size: 20, signedBy: "vaultops.test/audit" },
      unsigned: 0,
    });
  });

  it("by the root of the whole log, with the package's own hash or another", async () => {
    const node = (data: Uint8Array) => createHash("sha256").update(data).digest();
    for (const sha256 of [{}, { sha256: node }])
      expect(await verifyExport(whole, { keys, ...sha256 })).toMatchObject({ ok: true, depth: "whole" });
  });

  it("not without a key, though nothing is wrong", async () => {
    expect(await verifyExport(text, { keys: [] })).toMatchObject({
      ok: false,
      failure: null,
      depth: "proofs",
      checkpoint: { signedBy: null },
    });
  });

  it("not for a part of the log whose proofs were taken away, nor for entries after the checkpoint", async () => {
    const part = `${whole.split("\n").slice(1, 4).join("\n")}\n${JSON.stringify({ total: 3, checkpoint })}\n`;
    expect(await verifyExport(part, { keys })).toMatchObject({ ok: false, failure: null, depth: "order" });
    const earlier = testExport(12).checkpoint;
    expect(await verifyExport(whole, { keys, checkpoint: earlier })).toMatchObject({
      ok: false,
      failure: null,
      depth: "whole",
      unsigned: 8,
    });
  });

  it("not under another key, and a text that is no key is an error of the call", async () => {
    const { failure } = await verifyExport(text, { keys: [testKey(8).vkey] });
    expect(failure?.reason).toContain("not signed by the given key");
    await expect(verifyExport(text, { keys: ["no key"] })).rejects.toThrow(NoteError);
  });

  it("an entry whose details are none is no entry", async () => {
    const { failure } = await verifyExport(text.replace('"details":{"assets":"3"}', '"details":null'), {
      keys,
    });
    expect(failure).toEqual({ seq: "3", reason: "entry 3 of the file is not an audit entry" });
  });

  it("what the stream throws is thrown, and says nothing of the file", async () => {
    const torn = (async function* () {
      yield new TextEncoder().encode(text.slice(0, 100));
      throw new TypeError("the connection broke off");
    })();
    await expect(verifyExport(torn, { keys })).rejects.toThrow("the connection broke off");
  });
});
