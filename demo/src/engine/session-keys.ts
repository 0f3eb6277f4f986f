/**
 * Session keys: each vault has one with which the engine would sign, granted once, replaced by the next now and then, its
 * readiness reported at every look. Keys follow from the vault and their generation; only addresses leave this file.
 */
import { type Hex, keccak256, stringToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { addressOf } from "../accounts.ts";
import { LIVE_TRIOS, type TrioKey } from "../deployment.ts";
import { type EngineContext, vaultIdOf } from "./engine-context.ts";
import type { SessionKeyRecord } from "./memory.ts";
import type { Outcome, VaultKey } from "./types.ts";

const VALID_FOR_MS = 7 * 86_400_000;
const ROTATE_AFTER_MS = 10 * 60_000;
const ROTATE_LATER_MS = 5 * 60_000;
const MANAGER = addressOf("primaryManager");

/** Grants, announces or makes a rotation where it is time, and reports how the key stands. */
export async function keepSessionKeys(context: EngineContext, key: VaultKey): Promise<Outcome> {
  const vault = vaultIdOf(context.deployment, key);
  const known = context.memory.sessionKeys.get(key);
  const next = step(known, rotationMs(key));
  if (next.generation !== known?.generation) {
    const action_type = known === undefined ? "session_key_grant" : "session_key_rotate";
    const details = {
      key_address: addressOfKey(vault, next.generation),
      ...(known && { previous_key_address: addressOfKey(vault, known.generation) }),
      expires_at: new Date(next.grantedAtMs + VALID_FOR_MS).toISOString(),
    };
    context.reporter.report("vaultops.action", {
      vault,
      id: `${action_type}:${vault}:${next.generation}`,
      data: { action_type, actor_wallet: MANAGER, details },
    });
  }
  context.memory.sessionKeys.set(key, next);
  context.memory.save();
  const isFrozen = key !== "async" && context.exits.has(key);
  const expiresAtMs = next.grantedAtMs + VALID_FOR_MS;
  context.reporter.report("vaultops.session_key.readiness", {
    vault,
    data: {
      is_ready: expiresAtMs > Date.now(),
      key_address: addressOfKey(vault, next.generation),
      expires_at: new Date(expiresAtMs).toISOString(),
      pending_rotation: next.isRotating,
      ...(isFrozen && { reason: "only exits are signed while the emergency exit is armed" }),
    },
  });
  return "success";
}

function step(known: SessionKeyRecord | undefined, rotateAfterMs: number): SessionKeyRecord {
  const nowMs = Date.now();
  if (!known) return { generation: 0, grantedAtMs: nowMs, isRotating: false };
  if (known.isRotating) return { generation: known.generation + 1, grantedAtMs: nowMs, isRotating: false };
  return { ...known, isRotating: nowMs - known.grantedAtMs > rotateAfterMs };
}

// Not all at once.
function rotationMs(key: VaultKey): number {
  return ROTATE_AFTER_MS + Math.max(0, LIVE_TRIOS.indexOf(key as TrioKey)) * ROTATE_LATER_MS;
}

function addressOfKey(vault: string, generation: number): Hex {
  return privateKeyToAddress(keccak256(stringToHex(`${vault} session key ${generation}`)));
}
