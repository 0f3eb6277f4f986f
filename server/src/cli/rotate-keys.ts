// `vaultops keys rotate`: new keys in place of those in use, beside a running service or without one. It says what it rotated, and what
// is not its to rotate.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { originOf } from "../audit/feature.ts";
import { writeSigner } from "../audit/tree/signer.ts";
import { makeIssuerKey, rotateIssuerKey } from "../auth/issuer/keys.ts";
import { type Config, secretRingOf } from "../config/load.ts";
import { systemClock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import { isKeyUsed, resealAll } from "../platform/db/reseal.ts";
import { addSecretKey, openSecretBox } from "../platform/secret-box.ts";

/** Returns the exit code. Broken off at any point it may be run again. */
export async function keysRotateCommand(parts: {
  config: Config;
  db: Database;
  print(line: string): void;
}): Promise<number> {
  const { config, db, print } = parts;
  const ring = secretRingOf(config);
  if (ring.keys === null) {
    const [id] = await addSecretKey(ring.file, (keyId) => isKeyUsed(db, keyId));
    print(`secrets: created the key ${id} in ${ring.file}; keep a copy of that file`);
  } else {
    print("secrets: the keys come from the configuration; its first key is used");
  }
  const count = await resealAll(db, openSecretBox(ring));
  print(`secrets: re-encrypted ${count} ${count === 1 ? "value" : "values"}`);
  if (config.auth.embedded.enabled && config.auth.embedded.keys !== null) {
    print("identity provider: the keys come from the configuration; its newest key signs");
  } else if (config.auth.embedded.enabled) {
    const id = await rotateIssuerKey(join(config.data_dir, "identity"), systemClock);
    print(`identity provider: tokens are signed with the new key ${id}; those signed before stay valid`);
  }
  print("audit log: not rotated here; see vaultops audit rotate-key");
  return 0;
}

/** `vaultops keys create`: a new key as the configuration takes it, on standard output and nowhere else. */
export async function keysCreateCommand(config: Config, purpose: KeyPurpose): Promise<string> {
  switch (purpose) {
    case "audit-log":
      return writeSigner(originOf(config.http.public_url as string), randomBytes(32)).trim();
    case "identity-provider":
      return (await makeIssuerKey(systemClock)).trim();
    case "secrets":
      return randomBytes(32).toString("base64");
  }
}

export const KEY_PURPOSES = ["audit-log", "identity-provider", "secrets"] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];
