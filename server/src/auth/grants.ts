// What a wallet may do, asked of the database for every request, so that the next block's roles are in the next answer.
// Guarantee: an answer reflects every commit that was finished when it was asked for. To stay exact without a query for each
// request, requests share queries instead of keeping answers: while one query runs, all that come wait for the next one.
import type { Address } from "viem";
import type { Database } from "../platform/db.ts";
import type { VaultGrant, VaultRole } from "../platform/permission.ts";

export interface Grants {
  /** The wallet's roles at the head, the strongest one for each vault, ordered by chain and address. Shared: do not change. */
  of(wallet: Address): Promise<readonly VaultGrant[]>;
}

export function createGrants(db: Pick<Database, "pool">): Grants {
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
        batch.resolve(await query(db, [...batch.wallets]));
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
      return (await answer).get(wallet) ?? [];
    },
  };
}

interface Batch {
  wallets: Set<Address>;
  answer: Promise<Map<string, VaultGrant[]>>;
  resolve(answer: Map<string, VaultGrant[]>): void;
  reject(error: unknown): void;
}

function newBatch(): Batch {
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, VaultGrant[]>>();
  return { wallets: new Set(), answer: promise, resolve, reject };
}

interface GrantRow {
  wallet: string;
  chain_id: number;
  vault_address: Address;
  role: VaultRole;
  can_write: boolean;
}

// A manager may write when it manages at the head and managed at the confirmed height already, in whichever of both roles.
const GRANTS = `
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
  order by chain_id, vault_address`;

async function query(db: Pick<Database, "pool">, wallets: string[]): Promise<Map<string, VaultGrant[]>> {
  const { rows } = await db.pool.query<GrantRow>({ name: "auth_grants", text: GRANTS, values: [wallets] });
  const grants = new Map<string, VaultGrant[]>();
  for (const row of rows) {
    const own = grants.get(row.wallet) ?? [];
    grants.set(row.wallet, own);
    const grant = {
      chainId: row.chain_id,
      vaultAddress: row.vault_address,
      role: row.role,
      canWrite: row.can_write,
    };
    const last = own.at(-1);
    if (last === undefined || last.chainId !== grant.chainId || last.vaultAddress !== grant.vaultAddress)
      own.push(grant);
    else own[own.length - 1] = stronger(last, grant);
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
