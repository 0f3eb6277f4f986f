// What a wallet may do, so that the next block's roles are in the next answer.
//
// Guarantee: `of` reflects every commit that was finished when it was asked for. `known` answers from memory and reflects every commit
// of which a notice has come; while it is not sure that notices come, it knows nothing. A trigger on each table that roles are made of
// sends the notice, in the transaction that makes the change.
//
// Requests share queries: while one query runs, all that come wait for the next one.
import { sql } from "kysely";
import type { Address } from "viem";
import { BoundedCache } from "../platform/bounded-cache.ts";
import { type Database, executeNamed } from "../platform/db/db.ts";
import type { Watch } from "../platform/db/notifier.ts";
import type { VaultGrant, VaultRole } from "../platform/permission.ts";

/** The channel on which the database tells that roles have changed (migration 000013). */
export const ROLES_CHANNEL = "vaultops_roles";

/**
 * The wallet's roles at the head, the strongest one for each vault, ordered by chain and address. Shared, so not to be
 * changed; the same array again for as long as nothing in it changes, so that what is made of it can be kept with it.
 */
type Roles = readonly VaultGrant[];

export interface Grants {
  /** As the database has them at this moment. */
  of(wallet: Address): Promise<Roles>;
  /**
   * As they were last read, where nothing has changed since; else null. For reads alone: `canWrite` follows the confirmed height,
   * of which no notice is sent.
   */
  known(wallet: Address): Roles | null;
  /** Tells of a change that this process has committed, so that its next answers hold it. */
  changed(): void;
}

/** Of every wallet without a role. */
const NONE: Roles = [];

/** What the owners of a Safe and the proposers of a timelock hold on a vault of which it holds a role. */
export type SignersRole = "none" | "view_only" | "operator";

/** Without a watch of the roles' channel every answer is asked of the database. */
export function createGrants(
  db: Pick<Database, "kysely">,
  watch?: Pick<Watch, "version" | "changed">,
  safeSigners: SignersRole = "view_only",
): Grants {
  const known = new BoundedCache<string, Entry>(MAX_KNOWN_WALLETS);
  const read = grantsReader(db, known, () => watch?.version() ?? null, safeSigners);
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
    known(wallet) {
      const version = watch?.version() ?? null;
      const entry = version === null ? undefined : known.get(wallet);
      return entry?.version === version ? (entry?.grants ?? null) : null;
    },
    changed: () => watch?.changed(),
  };
}

type GrantsByWallet = Map<string, Roles>;

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
  /** Lines of chain, vault, role, whether it writes, whether it operates, whether it is accepted, by whom it is held, and the wallet's roles on the contract, in the order of the answer. */
  grants: string;
}

// A manager may write when it manages at the head and managed at the confirmed height already, in whichever of both roles.
// One text for each wallet: what was answered before is told by comparing it, without reading it again.
const grantsOf = (wallets: readonly Address[], safeSigners: SignersRole) => sql<GrantsRow>`
  select wallet, string_agg(chain_id || ' ' || vault_address || ' ' || role || ' ' || can_write || ' ' || is_operator || ' ' || is_accepted || ' ' || via || ' ' || coalesce(held.roles, ''), E'\\n'
                            order by chain_id, vault_address, via) as grants
  from (
    select r.wallet, r.chain_id, r.vault_address, r.role,
           coalesce(r.from_block is null or r.from_block <= c.confirmed_number, false) or exists (
             select from vault_roles p
             where p.chain_id = r.chain_id and p.vault_address = r.vault_address and p.wallet = r.wallet
               and p.from_block <= c.confirmed_number and p.to_block > c.confirmed_number) as can_write,
           false as is_operator,
           coalesce(a.is_accepted, r.from_block is null) as is_accepted, '' as via
    from vault_roles r
    left join vault_acceptances a on a.wallet = r.wallet and a.chain_id = r.chain_id and a.vault_address = r.vault_address
    join chains c on c.chain_id = r.chain_id
    join vaults v on v.chain_id = r.chain_id and v.address = r.vault_address
    where r.wallet = any(${wallets}) and r.to_block is null
    union all
    select m.wallet, m.chain_id, m.vault_address, m.role, false, m.role = 'operator', coalesce(a.is_accepted, false), ''
    from members m
    left join vault_acceptances a on a.wallet = m.wallet and a.chain_id = m.chain_id and a.vault_address = m.vault_address
    join vaults v on v.chain_id = m.chain_id and v.address = m.vault_address
    where m.wallet = any(${wallets})
    union all
    select s.wallet, s.chain_id, s.vault_address, ${safeSigners}::text, false, ${safeSigners}::text = 'operator' and coalesce(s.from_block <= c.confirmed_number, false), coalesce(a.is_accepted, false), s.via
    from vault_signers s
    join chains c on c.chain_id = s.chain_id
    left join vault_acceptances a on a.wallet = s.wallet and a.chain_id = s.chain_id and a.vault_address = s.vault_address
    join vaults v on v.chain_id = s.chain_id and v.address = s.vault_address
    where s.wallet = any(${wallets}) and s.to_block is null and ${safeSigners}::text <> 'none'
  ) g
  left join lateral (
    select string_agg(distinct h.holder ->> 'role', ',' order by h.holder ->> 'role') as roles
    from (select c.roles from vault_controllers c where c.chain_id = g.chain_id and c.vault_address = g.vault_address
          order by c.block_number desc limit 1) newest
    cross join jsonb_array_elements(newest.roles) h (holder)
    where h.holder ->> 'account' = g.wallet and h.holder ->> 'role' <> 'proxy_admin'
  ) held on true
  group by wallet`;

const MAX_KNOWN_WALLETS = 20_000;

/** What was last read of a wallet, and under which version of the roles; null: under none, so that it is no answer later. */
interface Entry {
  text: string;
  grants: Roles;
  version: number | null;
}

/** Asks for the grants of wallets. */
function grantsReader(
  db: Pick<Database, "kysely">,
  known: BoundedCache<string, Entry>,
  versionNow: () => number | null,
  safeSigners: SignersRole,
): (wallets: Address[]) => Promise<GrantsByWallet> {
  return async (wallets) => {
    // Of before the query: a change while it runs makes what it gives no answer for later.
    const version = versionNow();
    const { rows } = await executeNamed(db.kysely, "auth_grants", grantsOf(wallets, safeSigners));
    const texts = new Map(rows.map(({ wallet, grants }) => [wallet, grants]));
    return new Map(
      wallets.map((wallet) => {
        const text = texts.get(wallet) ?? "";
        const before = known.get(wallet);
        // Where it is what was read before, its array stays.
        const grants = before?.text === text ? before.grants : text === "" ? NONE : readGrants(text);
        known.set(wallet, { text, grants, version });
        return [wallet, grants];
      }),
    );
  };
}

function readGrants(text: string): VaultGrant[] {
  const grants: VaultGrant[] = [];
  for (const line of text.split("\n")) {
    const [chainId, vaultAddress, role, canWrite, isOperator, isAccepted, via, contractRoles] =
      line.split(" ");
    const grant = {
      chainId: Number(chainId),
      vaultAddress: vaultAddress as Address,
      role: role as VaultRole,
      canWrite: canWrite === "true",
      isAccepted: isAccepted === "true",
      ...(isOperator === "true" && { isOperator: true }),
      ...(via && { via: via as Address }),
      ...(contractRoles && { contractRoles: contractRoles.split(",") }),
    };
    const before = grants.at(-1);
    if (before?.chainId !== grant.chainId || before.vaultAddress !== grant.vaultAddress) grants.push(grant);
    else grants[grants.length - 1] = stronger(before, grant);
  }
  return grants;
}

const STRENGTH: Readonly<Record<VaultRole, number>> = {
  primary_manager: 3,
  secondary_manager: 2,
  operator: 1,
  view_only: 0,
};

/** The stronger role of two on one vault; it may do what either may. */
function stronger(a: VaultGrant, b: VaultGrant): VaultGrant {
  const kept = STRENGTH[a.role] >= STRENGTH[b.role] ? a : b;
  return {
    ...kept,
    canWrite: a.canWrite || b.canWrite,
    isAccepted: a.isAccepted || b.isAccepted,
    ...((a.isOperator || b.isOperator) && { isOperator: true }),
  };
}
