// `vaultops keys rotate`: new keys in place of those in use, beside a running service or without one. It says what it rotated, and what
// is not its to rotate.
import { join } from "node:path";
import { rotateIssuerKey } from "../auth/issuer/keys.ts";
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
  if (config.auth.embedded.enabled) {
    const id = await rotateIssuerKey(join(config.data_dir, "identity"), systemClock);
    print(`identity provider: tokens are signed with the new key ${id}; those signed before stay valid`);
  }
  print("audit log: not rotated here; see vaultops audit rotate-key");
  return 0;
}
