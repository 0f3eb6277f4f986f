// Who writes which table, and who else reads it: server/tables.json says so, and this holds it to the SQL in the sources. The import rules
// cannot see a statement that reaches into another room's tables.
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";

const SERVER = join(import.meta.dirname, "../server");

interface Use {
  /** The rooms whose code changes its rows; none where functions of the database alone do. More than one is an exception to be argued for. */
  writtenBy: string[];
  readBy?: string[];
}

const declared = JSON.parse(readFileSync(join(SERVER, "tables.json"), "utf8")) as Record<string, Use>;
const tables = [...readFileSync(join(SERVER, "schema.sql"), "utf8").matchAll(/^create table (\w+)/gm)].map(
  ([, name]) => name as string,
);

/** Room to its statements, comments left out. */
const sources = new Map<string, string>();
beforeAll(async () => {
  for await (const file of glob("src/**/*.ts", { cwd: SERVER })) {
    if (/(\.test|\/(test|expected)-[^/]*)\.ts$/.test(file)) continue;
    const text = readFileSync(join(SERVER, file), "utf8").replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    const [, top, second] = file.split("/") as [string, string, string];
    const room = top === "features" ? `${top}/${second}` : top;
    sources.set(room, `${sources.get(room) ?? ""}\n${text}`);
  }
});

const roomsWith = (pattern: RegExp) =>
  [...sources].filter(([, text]) => pattern.test(text)).map(([room]) => room);
const writersOf = (table: string) =>
  roomsWith(
    new RegExp(
      `\\b(?:insert\\s+into|update(?:\\s+only)?|delete\\s+from|truncate|copy)\\s+${table}\\b|insertRows\\(\\s*\\w+,\\s*"${table}"`,
      "i",
    ),
  );
const readersOf = (table: string) =>
  roomsWith(new RegExp(`\\b(?:from|join|using)\\s+(?:only\\s+)?${table}\\b`, "i"));

it("every table is declared, and nothing that is none", () => {
  expect(Object.keys(declared)).toEqual(tables);
});

it("a table is written by its owner alone", () => {
  const found = Object.fromEntries(tables.map((table) => [table, writersOf(table).sort()]));
  const said = Object.fromEntries(tables.map((table) => [table, declared[table]?.writtenBy]));
  expect(found).toEqual(said);
});

it("who reads a table of another is declared", () => {
  const found = Object.fromEntries(
    tables.map((table) => [
      table,
      readersOf(table)
        .filter((room) => !declared[table]?.writtenBy.includes(room))
        .sort(),
    ]),
  );
  const said = Object.fromEntries(tables.map((table) => [table, declared[table]?.readBy ?? []]));
  expect(found).toEqual(said);
});
