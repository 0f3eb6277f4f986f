// What a wallet may do, asked of the database for every request, so that the next block's roles are in the next answer.
// Guarantee: an answer reflects every commit that was finished when it was asked for. To stay exact without a query for each
// request, requests share queries instead of keeping answers: while one query runs, all that come wait for the next one.
import type { Address } from "viem";
import type { Database } from "../platform/db.ts";
import type { VaultGrant, VaultRole } from "../platform/permission.ts";

export interface Grants {
  /**
   * The wallet's roles at the head, the strongest one for each vault, ordered by chain and address. Shared, so not to be
   * changed; the same array again for as long as nothing in it changes, so that what is made of it can be kept with it.
   */
  of(wallet: Address): Promise<readonly VaultGrant[]>;
}

/** Of every wallet without a role. */
const NONE: readonly VaultGrant[] = [];

export function createGrants(db: Pick<Database, "pool">): Grants {
  const read = grantsReader(db);
  let waiting: Batch | null = null;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting !== null) {
      // What this turn of the event loop still brings in joins the query, too.
      await new Promise((resolve) => setImmediate(resolve));
      const batch: Batch = waiting;
      waiting = null;
      try {
        batch.resolve(await read([...batch.wallets]));
      } catch (error) {
        batch.reject(error);
      }
    }
    isRunning = false;
  }

  return {
    async of(wallet) {
      waiting ??= newBatch();
      waiting.wallets.add(wallet);
      const { answer } = waiting;
      if (!isRunning) void run();
      return (await answer).get(wallet) ?? NONE;
    },
  };
}

type GrantsByWallet = Map<string, readonly VaultGrant[]>;

interface Batch {
  wallets: Set<Address>;
  answer: Promise<GrantsByWallet>;
  resolve(answer: GrantsByWallet): void;
  reject(error: unknown): void;
}

function newBatch(): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<GrantsByWallet>();
  return { wallets: new Set(), answer: promise, resolve, reject };
}

interface GrantsRow {
  wallet: string;
  /** Lines of chain, vault, role and whether it writes, in the order of the answer. */
  grants: string;
}

// A manager may write when it manages at the head and managed at the confirmed height already, in whichever of both roles.
// One text for each wallet: what was answered before is told by comparing it, without reading it again.
const GRANTS = `
  select wallet, string_agg(chain_id || ' ' || vault_address || ' ' || role || ' ' || can_write, E'\\n'
                            order by chain_id, vault_address) as grants
  from (
    select r.wallet, r.chain_id, r.vault_address, r.role,
           coalesce(r.from_block is null or r.from_block <= c.confirmed_number, false) or exists (
             select from vault_roles p
             where p.chain_id = r.chain_id and p.vault_address = r.vault_address and p.wallet = r.wallet
               and p.from_block <= c.confirmed_number and p.to_block > c.confirmed_number) as can_write
    from vault_roles r
    join chains c on c.chain_id = r.chain_id
    join vaults v on v.chain_id = r.chain_id and v.address = r.vault_address
    where r.wallet = any($1) and r.to_block is null
    union all
    select m.wallet, m.chain_id, m.vault_address, m.role, false
    from members m
    join vaults v on v.chain_id = m.chain_id and v.address = m.vault_address
    where m.wallet = any($1)
  ) g
  group by wallet`;

const MAX_REMEMBERED_WALLETS = 1_000;

/** Asks for the grants of wallets, reading again only answers that differ from the last one. */
function grantsReader(db: Pick<Database, "pool">): (wallets: Address[]) => Promise<GrantsByWallet> {
  const last = new Map<string, { text: string; grants: readonly VaultGrant[] }>();
  return async (wallets) => {
    const { rows } = await db.pool.query<GrantsRow>({ name: "auth_grants", text: GRANTS, values: [wallets] });
    const answer: GrantsByWallet = new Map();
    for (const { wallet, grants: text } of rows) {
      const known = last.get(wallet);
      const entry = known?.text === text ? known : { text, grants: readGrants(text) };
      last.delete(wallet);
      last.set(wallet, entry);
      answer.set(wallet, entry.grants);
    }
    while (last.size > MAX_REMEMBERED_WALLETS) last.delete(last.keys().next().value as string);
    return answer;
  };
}

function readGrants(text: string): VaultGrant[] {
  const grants: VaultGrant[] = [];
  for (const line of text.split("\n")) {
    const [chainId, vaultAddress, role, canWrite] = line.split(" ");
    const grant = {
      chainId: Number(chainId),
      vaultAddress: vaultAddress as Address,
      role: role as VaultRole,
      canWrite: canWrite === "true",
    };
    const before = grants.at(-1);
    if (before?.chainId !== grant.chainId || before.vaultAddress !== grant.vaultAddress) grants.push(grant);
    else grants[grants.length - 1] = stronger(before, grant);
  }
  return grants;
}

const STRENGTH: Readonly<Record<VaultRole, number>> = {
  primary_manager: 2,
  secondary_manager: 1,
  view_only: 0,
};

/** The stronger role of two on one vault; it may write if either does. */
function stronger(a: VaultGrant, b: VaultGrant): VaultGrant {
  const role = STRENGTH[a.role] >= STRENGTH[b.role] ? a.role : b.role;
  return { ...a, role, canWrite: a.canWrite || b.canWrite };
}
