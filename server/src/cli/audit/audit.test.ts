// What `vaultops audit verify FILE` answers to files that are not what they should be.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CSV_HEADER } from "@vaultops/proof";
import { afterAll, beforeAll, expect, it } from "vitest";
import { auditVerifyFileCommand } from "./audit.ts";

const VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vaultops-commands-"));
  await writeFile(join(folder, "export.json"), '{"logs":[\n],"total":0,"checkpoint":null}\n');
});
afterAll(() => rm(folder, { recursive: true }));

async function verify(keys?: string): Promise<{ code: number; lines: string[] }> {
  const key = keys === undefined ? undefined : join(folder, "keys.txt");
  if (key !== undefined) await writeFile(key, keys!);
  const lines: string[] = [];
  const code = await auditVerifyFileCommand({
    file: join(folder, "export.json"),
    key,
    print: (line) => lines.push(line),
  });
  return { code, lines };
}

it("an empty export holds, and the answer says how little that tells", async () => {
  const { code, lines } = await verify(`# from the operator\n${VKEY}\n`);
  expect(code).toBe(0);
  expect(lines.join()).toContain("order and count only");
});

it("a file of keys without one is refused: no signature would be checked", async () => {
  await expect(verify("# nothing yet\n\n")).rejects.toThrow(/keys\.txt contains no public key/);
});

it("a line that is no key is named", async () => {
  await expect(verify(`${VKEY}\nnot a key\n`)).rejects.toThrow(/keys\.txt: "not a key" is no public key/);
});

it("a file that is not there is an error of the call, and a folder that is no archive is said to be none", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  await expect(auditVerifyFileCommand({ file: join(folder, "none"), print })).rejects.toMatchObject({
    code: "ENOENT",
  });
  expect(await auditVerifyFileCommand({ file: folder, print })).toBe(1);
  expect(lines.join(" ")).toMatch(/no archive/);
});

it("rows of CSV that were cut off between two lines do not make up the number in the file's name", async () => {
  const print = (line: string) => void lines.push(line);
  const lines: string[] = [];
  const file = join(folder, "audit-log-1-entries.csv");
  await writeFile(file, `${CSV_HEADER}\r\n`);
  expect(await auditVerifyFileCommand({ file, print })).toBe(1);
  expect(lines[0]).toContain("its name says that it contains 1 entries, and it contains 0");
  const whole = join(folder, "audit-log-0-entries (1).csv");
  await writeFile(whole, `${CSV_HEADER}\r\n`);
  expect(await auditVerifyFileCommand({ file: whole, print })).toBe(0);
});
