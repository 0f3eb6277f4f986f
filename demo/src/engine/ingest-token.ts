/** The token with which the demo's engine reports: made once for a data folder and kept there for its owner alone. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** The token of a file, made where there is none. */
export function ingestTokenIn(path: string): string {
  try {
    const known = readFileSync(path, "utf8").trim();
    if (known.length > 0) return known;
  } catch {
    // The first start.
  }
  const token = `vaultops_demo_${randomBytes(32).toString("base64url")}`;
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return token;
}

/** What the service's configuration holds of a token. */
export function sha256Of(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
