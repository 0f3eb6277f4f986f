// Keys that lie in files of the data folder: there where the database needs them, and read by the service's user alone.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { readVerifier } from "@vaultops/proof";
import { sql } from "kysely";
import { readKeys } from "../../audit/tree/keys.ts";
import { isKeyRing } from "../../platform/secret-box.ts";
import { type Check, type Finding, fault, type Ground, ok, reasonOf } from "./check.ts";

export const keys: Check = {
  name: "keys",
  looksAt: "every key is there, can be read, and by the service's user alone (mode 600)",
  async run(ground) {
    return [...(await secretsKeys(ground)), ...(await signingKey(ground)), ...(await issuerKeys(ground))];
  },
};

const COPY = "bring the file back from the copy of data_dir that was made with the database's backup";

async function secretsKeys({ config, db }: Ground): Promise<Finding[]> {
  if (config.secrets.keys !== null) return [ok("secrets: given by the configuration")];
  const file = join(config.data_dir, "secrets", "keys");
  const found = await lookAt(file, "secrets");
  if (found.state !== "absent") {
    if (found.state === "fault") return [found.finding];
    return [
      isKeyRing(found.text)
        ? ok("secrets: their key is in the data folder")
        : fault(`${file} holds no key`, COPY),
    ];
  }
  if (db !== null && (await holdsSecrets(db)))
    return [fault(`${file} is missing, and the database holds secrets that it opens`, COPY)];
  return [ok("secrets: a key is made at the first start")];
}

async function holdsSecrets(db: NonNullable<Ground["db"]>): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from channel_configs) or exists (select from webhooks) as any`.execute(db.kysely);
  return rows[0]!.any;
}

async function signingKey({ config, db }: Ground): Promise<Finding[]> {
  const vkey = db === null ? undefined : (await readKeys(db.kysely)).at(-1)?.vkey;
  if (vkey === undefined) return [ok("audit log: a key is made, or taken, at the first start")];
  const { id } = readVerifier(vkey);
  if (config.audit.signing_keys !== null) {
    const isGiven = config.audit.signing_keys.split(/[\s,]+/).some((key) => key.split("+")[3] === id);
    return [
      isGiven
        ? ok("audit log: the key that signs is given by the configuration")
        : fault(
            `the audit log's key ${id}, which signs, is not among audit.signing_keys`,
            "add it; or go on to another with vaultops audit rotate-key",
          ),
    ];
  }
  const file = join(config.data_dir, "audit", `signing-key-${id}`);
  const found = await lookAt(file, "audit log");
  if (found.state === "absent")
    return [
      fault(
        `${file}, which signs the audit log, is missing`,
        `${COPY}; or make a new one with vaultops audit rotate-key`,
      ),
    ];
  return [
    found.state === "fault" ? found.finding : ok("audit log: the key that signs is in the data folder"),
  ];
}

async function issuerKeys({ config }: Ground): Promise<Finding[]> {
  if (!config.auth.embedded.enabled) return [];
  if (config.auth.embedded.keys !== null) return [ok("identity provider: given by the configuration")];
  const folder = join(config.data_dir, "identity");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const found = await Promise.all(names.map((name) => lookAt(join(folder, name), "identity provider")));
  const faults = found.flatMap((each) => (each.state === "fault" ? [each.finding] : []));
  if (faults.length > 0) return faults;
  return [
    ok(
      names.length === 0
        ? "identity provider: a key is made at the first start"
        : "identity provider: in the data folder",
    ),
  ];
}

type Look = { state: "absent" } | { state: "fault"; finding: Finding } | { state: "there"; text: string };

async function lookAt(file: string, whose: string): Promise<Look> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) {
      const says = `${whose}: others may read ${file} (mode ${(mode & 0o777).toString(8)})`;
      return { state: "fault", finding: fault(says, `chmod 600 ${file}`) };
    }
    return { state: "there", text: await readFile(file, "utf8") };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(reasonOf(error))) return { state: "absent" };
    const says = `${whose}: ${file} cannot be read (${reasonOf(error)})`;
    return {
      state: "fault",
      finding: fault(says, "run doctor, and the service, as the user that owns data_dir"),
    };
  }
}
