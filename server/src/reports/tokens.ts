// Ingest tokens: who may report, as which source, on which chains and vaults. They come from the configuration, or are made by
// the command line and kept in the database.
//
// Guarantee: a token stands nowhere but with its holder; here is its SHA-256 alone, which needs no salt, because a token is 256 random
// bits. Hashes are compared in constant time. A token that was revoked is refused from the next request on.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import { bearerToken } from "../auth/guard.ts";
import { tokenRefused } from "../auth/tokens/refuse.ts";
import { type Database, executeNamed } from "../platform/db/db.ts";

/** What a token allows. Empty sets: everything. `key` tells tokens apart, for quotas and logs; it is not secret. */
export interface IngestToken {
  key: string;
  source: string;
  chains: ReadonlySet<number>;
  /** Vault ids, addresses checksummed. */
  vaults: ReadonlySet<string>;
}

/** A token as the configuration names it. */
export interface ConfiguredToken {
  source: string;
  token_sha256: string;
  chains: readonly number[];
  vaults: readonly string[];
}

export interface Tokens {
  /** The token of an Authorization header. Throws `invalid_token` (401). */
  of(header: string | undefined): Promise<IngestToken>;
}

export function createTokens(db: Pick<Database, "kysely">, configured: readonly ConfiguredToken[]): Tokens {
  const fixed = configured.map((token, index) => ({
    sha256: Buffer.from(token.token_sha256, "hex"),
    token: allow(`configured-${index}`, token),
  }));
  return {
    async of(header) {
      const text = bearerToken(header, "an ingest token");
      const sha256 = digest(text);
      const known = fixed.filter((each) => timingSafeEqual(each.sha256, sha256))[0];
      if (known !== undefined) return known.token;
      const id = FORM.exec(text)?.[1];
      const stored = id === undefined ? null : await find(db, id);
      if (stored === null || !timingSafeEqual(stored.token_sha256, sha256)) throw refused();
      if (stored.revoked_at !== null) throw tokenRefused("The ingest token has been revoked.");
      if (stored.is_use_noted !== true) await noteUse(db, stored.id);
      return allow(stored.id, stored);
    },
  };
}

export interface NewToken {
  name: string;
  source: string;
  chains: readonly number[];
  vaults: readonly string[];
}

/** Makes a token. `token` is told this once and cannot be got again. */
export async function createToken(
  db: Pick<Database, "kysely">,
  { name, source, chains, vaults }: NewToken,
): Promise<{ id: string; token: string }> {
  const id = randomBytes(6).toString("hex");
  const token = `${PREFIX}${id}_${randomBytes(32).toString("base64url")}`;
  await sql`
    insert into ingest_tokens (id, name, source, token_sha256, chains, vaults)
    values (${id}, ${name}, ${source}, ${digest(token)}, ${chains}, ${vaults})`.execute(db.kysely);
  return { id, token };
}

export interface TokenRecord extends NewToken {
  id: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** All tokens of the database, oldest first, revoked ones too. */
export async function listTokens(db: Pick<Database, "kysely">): Promise<TokenRecord[]> {
  const { rows } = await sql<TokenRecord>`
    select id, name, source, chains, vaults, created_at, last_used_at, revoked_at
    from ingest_tokens order by created_at, id`.execute(db.kysely);
  return rows;
}

/** Revokes a token. False when there is none with that id; again is no error. */
export async function revokeToken(db: Pick<Database, "kysely">, id: string): Promise<boolean> {
  const { rows } = await sql`
    update ingest_tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id} returning id`.execute(
    db.kysely,
  );
  return rows.length === 1;
}

const PREFIX = "vaultops_ingest_";
const FORM = new RegExp(`^${PREFIX}([0-9a-f]{12})_[A-Za-z0-9_-]{43}$`);

interface StoredToken {
  id: string;
  source: string;
  token_sha256: Buffer;
  chains: number[];
  vaults: string[];
  revoked_at: string | null;
  is_use_noted: boolean | null;
}

async function find(db: Pick<Database, "kysely">, id: string): Promise<StoredToken | null> {
  const { rows } = await executeNamed(
    db.kysely,
    "ingest_token",
    sql<StoredToken>`
      select id, source, token_sha256, chains, vaults, revoked_at, last_used_at > now() - interval '1 minute' as is_use_noted
      from ingest_tokens where id = ${id}`,
  );
  return rows[0] ?? null;
}

async function noteUse(db: Pick<Database, "kysely">, id: string): Promise<void> {
  await sql`
    update ingest_tokens set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at <= now() - interval '1 minute')`.execute(
    db.kysely,
  );
}

function allow(
  key: string,
  { source, chains, vaults }: Pick<NewToken, "source" | "chains" | "vaults">,
): IngestToken {
  return { key, source, chains: new Set(chains), vaults: new Set(vaults) };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refused() {
  return tokenRefused(
    "The ingest token is not known here. `vaultops ingest-token list` shows those of the database.",
  );
}
