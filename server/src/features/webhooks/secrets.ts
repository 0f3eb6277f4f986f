// An endpoint's secrets: the current one and those that were rotated out and still sign for a day, all sealed in its row.
import { type SecretBox, SecretBoxError, sealedIn } from "../../platform/secret-box.ts";

/** How long a secret that was rotated out still signs. */
export const OLD_SECRET_MS = 24 * 3_600_000;
/** How many of them at most, so that no endpoint's deliveries bear signatures without end. */
export const MAX_OLD_SECRETS = 4;

export interface OldSecret {
  secret: string;
  /** Unix milliseconds. */
  untilMs: number;
}

interface SealedSecrets {
  id: string;
  sealed_secret: string;
  sealed_old_secrets: string | null;
}

const TABLE = "webhooks";

export function sealSecret(box: SecretBox, id: string, secret: string): string {
  return box.seal(secret, sealedIn(TABLE, "sealed_secret", id));
}

export function sealOldSecrets(box: SecretBox, id: string, old: readonly OldSecret[]): string | null {
  return old.length === 0 ? null : box.seal(JSON.stringify(old), sealedIn(TABLE, "sealed_old_secrets", id));
}

/** The current secret. Throws SecretBoxError. */
export function openSecret(box: SecretBox, row: SealedSecrets): string {
  return box.open(row.sealed_secret, sealedIn(TABLE, "sealed_secret", row.id));
}

/** Those rotated out that still sign, the newest first. Throws SecretBoxError. */
export function openOldSecrets(box: SecretBox, row: SealedSecrets, nowMs: number): OldSecret[] {
  if (row.sealed_old_secrets === null) return [];
  const text = box.open(row.sealed_old_secrets, sealedIn(TABLE, "sealed_old_secrets", row.id));
  return (JSON.parse(text) as OldSecret[]).filter(({ untilMs }) => untilMs > nowMs);
}

/** What can be opened of an endpoint's secrets. Null: sealed under a key that the service has no more. */
export function readableSecrets(
  box: SecretBox,
  row: SealedSecrets,
  nowMs: number,
): { current: string | null; old: OldSecret[] | null } {
  return {
    current: ifOpens(() => openSecret(box, row)),
    old: ifOpens(() => openOldSecrets(box, row, nowMs)),
  };
}

function ifOpens<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SecretBoxError) return null;
    throw error;
  }
}
