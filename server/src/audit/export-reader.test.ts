// Files that were made to be read in two ways, or to look whole: the verifier refuses each, so that what it calls sound says the same
// to a spreadsheet, a JSON parser and an eye.
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical.ts";
import { CSV_HEADER } from "./export-sql.ts";
import { verifyFile } from "./verify-file.ts";

const entry = (seq: number, details: Record<string, unknown> = { assets: "1" }) => ({
  action_type: "deposit",
  actor_wallet: `0x${"1".repeat(40)}`,
  chain_id: 1,
  details,
  id: `019dde6d-6400-7000-8000-${String(seq).padStart(12, "0")}`,
  recorded_at: `2026-05-01T00:00:0${seq}.000000Z`,
  seq: String(seq),
  timestamp: `2026-05-01T00:00:0${seq}.000000Z`,
  vault_address: `0x${"2".repeat(40)}`,
});
const texts = [1, 2].map((seq) => canonicalJson(entry(seq)));
const json = (logs: string, end = '"total":2,"checkpoint":null') => `{"logs":[\n${logs}],${end}}\n`;
const ndjson = (...lines: string[]) => `${lines.join("\n")}\n`;
const row = (seq: number, details = '{""assets"":""1""}') => {
  const { id, timestamp, recorded_at, action_type, vault_address, chain_id, actor_wallet } = entry(seq);
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
  return verifyFile({ file: Readable.from(pieces), checkpoint: null, vkeys: [] });
};

describe("a file as an export writes it holds, in whatever pieces it comes", () => {
  it.each([
    ["JSON", json(texts.join(",\n"))],
    ["JSON laid out otherwise", JSON.stringify(JSON.parse(json(texts.join())), null, 2)],
    ["NDJSON", ndjson(...texts, END)],
    ["CSV", csv(CSV_HEADER, row(1), row(2))],
    [
      "numbers of every form that mean the same",
      json(`${canonicalJson(entry(1, { n: [1e21, 1e-7, -1.5, 0] }))},${texts[1]}`)
        .replace("1e-7", "1E-07")
        .replace("-1.5", "-1.50"),
    ],
    [
      "colons, braces and quotes within strings",
      json(`${canonicalJson(entry(1, { 'a":{': '\\","b":[1:2]}' }))},${texts[1]}`),
    ],
  ])("%s", async (_, text) => {
    for (const length of [1, 7, 100_000])
      expect(await check(text, length)).toMatchObject({ entries: 2, failure: null });
  });
});

describe("a file that reads in two ways is refused", () => {
  const twice = texts[0]!.replace("{", '{"action_type":"withdraw",');
  const nested = texts[0]!.replace('{"assets"', '{"assets":"9","assets"');
  const large = canonicalJson(entry(1, { n: 9007199254740992 })).replace(
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
    expect((await verifyFile({ file, checkpoint: null, vkeys: [] })).failure?.reason).toContain("UTF-8");
  });
});
