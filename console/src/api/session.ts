// The session: who is signed in, kept in exactly the four keys of local storage that integrations know, and ended in one place.
// Guarantee: whatever ends a session (a 401, the token's end, another tab, the person) clears all four and says why. Where the person
// did not end it, the page waits for them as it is: nobody loses what they were typing because an hour is over.
import type { Answer } from "@vaultops/sdk/client";
import { useSyncExternalStore } from "react";

export type Me = Answer<"GET /api/v1/auth/me">;

export interface Session {
  token: string;
  address: string;
}

/** Why the last session ended; null when the person ended it, or none was there. */
export interface EndReason {
  title: string;
  detail: string;
  requestId: string | null;
}

const KEYS = {
  token: "curator_jwt",
  address: "curator_address",
  isManager: "curator_is_manager",
  vaults: "curator_vaults",
} as const;

interface State {
  session: Session | null;
  reason: EndReason | null;
  /** Whose session ended in its middle: the page, hidden, waits for this wallet to sign in again. */
  waitsFor: string | null;
  /** Counts the wallets that took the page over from another, to each of which it starts again. */
  turn: number;
}

let state: State = { session: null, reason: null, waitsFor: null, turn: 0 };
let expiryTimer: ReturnType<typeof setTimeout> | undefined;
/** By this machine's clock. */
let endsAtMs = Number.POSITIVE_INFINITY;
const listeners = new Set<() => void>();

/**
 * Takes up the session that an earlier visit left, and follows what other tabs do with it. Before anything else asks for it. Of a token
 * that something else put there alone, `meOf` says whose it is.
 */
export async function startSession(meOf: MeOf): Promise<void> {
  state = { ...state, session: stored() };
  window.addEventListener("storage", ({ key }) => {
    if (key !== null && key !== KEYS.token) return;
    const session = stored();
    if (session === null && localStorage.getItem(KEYS.token) !== null) return void complete(meOf);
    if (session?.token === state.session?.token) return;
    // Tabs whose token runs out hear of each other's end, too.
    if (session === null && Date.now() > endsAtMs - SAME_END_MS) endSession(EXPIRED);
    else set({ session, reason: session === null ? ELSEWHERE : null, waitsFor: null });
  });
  await complete(meOf);
}

/** Asks the service whose token it is; what it refuses is told by an end of the session. */
export type MeOf = (token: string) => Promise<{ me: Me; nowMs: number } | { refusal: EndReason }>;

/** Begins the session of a token that lies there without its address. A service that is away is asked again at the next load. */
async function complete(meOf: MeOf): Promise<void> {
  const token = localStorage.getItem(KEYS.token);
  if (token === null || stored() !== null) return;
  const answer = await meOf(token).catch(() => null);
  if (answer === null || localStorage.getItem(KEYS.token) !== token) return;
  if ("refusal" in answer) endSession(answer.refusal);
  else beginSession(token, answer.me, answer.nowMs);
}

export const getSession = (): Session | null => state.session;
export const getEndReason = (): EndReason | null => state.reason;
/** Whose page this is: of who is signed in, or of whom it waits for. */
export const getOwner = (): string | null => state.session?.address ?? state.waitsFor;
const getWaitsFor = (): string | null => state.waitsFor;
const getTurn = (): number => state.turn;
export const useSession = (): Session | null => useSyncExternalStore(subscribeSession, getSession);
export const useEndReason = (): EndReason | null => useSyncExternalStore(subscribeSession, getEndReason);
export const useWaitsFor = (): string | null => useSyncExternalStore(subscribeSession, getWaitsFor);
export const useTurn = (): number => useSyncExternalStore(subscribeSession, getTurn);

export function subscribeSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins a session with a token that `auth/me` has confirmed. `nowMs`: by the service's clock. */
export function beginSession(token: string, me: Me, nowMs: number): void {
  localStorage.setItem(KEYS.token, token);
  keepRoles(me, nowMs);
  set({ session: { token, address: me.wallet_address }, reason: null, waitsFor: null });
}

/** Keeps what `auth/me` says of the running session: roles follow the chain, and the token has an end. */
export function keepRoles(me: Me, nowMs: number): void {
  localStorage.setItem(KEYS.address, me.wallet_address);
  localStorage.setItem(KEYS.isManager, String(me.is_manager));
  localStorage.setItem(KEYS.vaults, JSON.stringify(me.vaults.map(({ vault_address }) => vault_address)));
  clearTimeout(expiryTimer);
  const leftMs = Date.parse(me.expires_at) - nowMs;
  endsAtMs = Date.now() + leftMs;
  // Longer than a timer can wait: the service's 401 ends the session then.
  if (leftMs < 2 ** 31) expiryTimer = setTimeout(() => endSession(EXPIRED), Math.max(0, leftMs));
}

/** Ends the session and clears its four keys. `reason`: null when the person asked for it, and then nothing waits. */
export function endSession(reason: EndReason | null): void {
  clearTimeout(expiryTimer);
  for (const key of Object.values(KEYS)) localStorage.removeItem(key);
  if (state.session === null && reason === null) return;
  set({ session: null, reason, waitsFor: reason === null ? null : getOwner() });
}

/** The session has run out, and the provider with which it began knows of nobody either. */
export const endExpired = (): void => endSession(EXPIRED);

/** Gives the waiting page up, where the person goes elsewhere instead of signing in again. */
export function stopWaiting(): void {
  if (state.waitsFor !== null) set({ ...state, waitsFor: null });
}

const SAME_END_MS = 5_000;

const EXPIRED: EndReason = {
  title: "Your session has ended",
  detail: "Its token has expired. Sign in again to continue where you were.",
  requestId: null,
};

const ELSEWHERE: EndReason = {
  title: "You signed out in another tab",
  detail: "Sign in again to continue.",
  requestId: null,
};

function stored(): Session | null {
  const token = localStorage.getItem(KEYS.token);
  const address = localStorage.getItem(KEYS.address);
  return token === null || address === null ? null : { token, address };
}

function set(next: Omit<State, "turn">): void {
  const before = getOwner();
  state = { ...next, turn: state.turn };
  const owner = getOwner();
  if (before !== null && owner !== null && owner !== before) state.turn += 1;
  for (const listener of listeners) listener();
}
