// Which addresses may get mail: those whose owner confirmed it by a link, for the channels of the wallet that asked, and those in domains of
// the operator's. A link is good once and for three days; of its token only the hash is kept, and it is made when the mail goes out.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Address } from "viem";
import { zeroAddress } from "viem";
import { enqueue } from "../../../delivery/enqueue.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { chargeConfirmations } from "./quotas.ts";

type Reader = Database["kysely"] | Tx;

const LINK_HOURS = 72;
/** The event type of deliveries that ask an address. Its target is the address's row. */
export const CONFIRMATION = "channel.confirmation";

/** Addresses are the same whatever their case: no mailbox is another by it in practice, and one that is confirmed must be findable. */
export function keyOf(address: string): string {
  return address.toLowerCase();
}

/** Decides who may get mail. */
export class MailConsent {
  readonly #domains: ReadonlySet<string>;

  /** `allowedDomains`: of the operator's own, where no address need confirm. */
  constructor(allowedDomains: readonly string[]) {
    this.#domains = new Set(allowedDomains.map((domain) => domain.toLowerCase()));
  }

  /** Of these addresses those that have not agreed to mail of the owner's channels. */
  async unconfirmed(db: Reader, owner: string, addresses: readonly string[]): Promise<string[]> {
    const asked = addresses.filter((address) => !this.#domains.has(keyOf(address).split("@")[1] ?? ""));
    if (asked.length === 0) return [];
    const { rows } = await sql<{ address: string }>`
      select address from mail_addresses
      where owner = ${owner} and address = any (${asked.map(keyOf)}::text[]) and confirmed_at is not null`.execute(
      db,
    );
    const confirmed = new Set(rows.map(({ address }) => address));
    return asked.filter((address) => !confirmed.has(keyOf(address)));
  }

  /** The same of several channels' addresses at once, by the channels' ids. */
  async unconfirmedOf(
    db: Reader,
    channels: readonly { id: string; owner: string; addresses: readonly string[] }[],
  ): Promise<Map<string, string[]>> {
    const owners = [...Map.groupBy(channels, ({ owner }) => owner)];
    const found = await Promise.all(
      owners.map(async ([owner, own]) => {
        const missing = new Set(
          await this.unconfirmed(
            db,
            owner,
            own.flatMap(({ addresses }) => addresses),
          ),
        );
        return own.map(({ id, addresses }) => [id, addresses.filter((one) => missing.has(one))] as const);
      }),
    );
    return new Map(found.flat());
  }

  /** Has those of the addresses that have not agreed asked by mail, in the caller's transaction. @throws Problem `rate_limited` */
  async ask(
    tx: Tx,
    nowMs: number,
    { owner, by, addresses }: { owner: string; by: Address; addresses: readonly string[] },
  ): Promise<string[]> {
    const asked = [...new Set((await this.unconfirmed(tx, owner, addresses)).map(keyOf))];
    if (asked.length === 0) return [];
    await chargeConfirmations(tx, by, asked);
    const { rows } = await sql<{ id: string; address: string }>`
      insert into mail_addresses as m (id, owner, address)
      select id, ${owner}, address from unnest(${asked.map(() => randomUUID())}::uuid[], ${asked}::text[]) t (id, address)
      order by address
      on conflict (owner, address) do update set address = excluded.address returning m.id, m.address`.execute(
      tx,
    );
    await enqueue(
      tx,
      rows.map(({ id }) => ({
        queue: "channel" as const,
        targetId: id,
        key: `${CONFIRMATION}:${randomUUID()}`,
        eventId: null,
        eventType: CONFIRMATION,
        chainId: 0,
        vaultAddress: zeroAddress,
        body: "{}",
        dueAtMs: nowMs,
      })),
      nowMs,
    );
    return rows.map(({ address }) => address);
  }
}

/** An address to be asked. */
export interface AskedAddress {
  id: string;
  owner: string;
  address: string;
}

/** Those of the rows that still wait to be confirmed. */
export async function askedAddresses(db: Reader, ids: readonly string[]): Promise<AskedAddress[]> {
  const { rows } = await sql<AskedAddress>`
    select id, owner, address from mail_addresses where id = any (${[...ids]}::uuid[]) and confirmed_at is null`.execute(
    db,
  );
  return rows;
}

/** Makes the token of a new link; one that was made before is no longer valid. */
export async function newToken(db: Reader, id: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await sql`
    update mail_addresses set token_hash = ${hashOf(token)}, token_expires_at = clock_timestamp() + ${LINK_HOURS} * interval '1 hour'
    where id = ${id}`.execute(db);
  return token;
}

const OPEN = sql`confirmed_at is null and token_expires_at > clock_timestamp()`;

/** What a link asks for. Null: there is no such link, it was used, or its time is over. */
export async function linkedAddress(db: Reader, token: string): Promise<AskedAddress | null> {
  const { rows } = await sql<AskedAddress>`
    select id, owner, address from mail_addresses where token_hash = ${hashOf(token)} and ${OPEN}`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** Confirms by a link. Null as above: of two at once one succeeds. */
export async function confirmAddress(db: Reader, token: string): Promise<AskedAddress | null> {
  const { rows } = await sql<AskedAddress>`
    update mail_addresses set confirmed_at = clock_timestamp(), token_hash = null, token_expires_at = null
    where token_hash = ${hashOf(token)} and ${OPEN} returning id, owner, address`.execute(db);
  return rows[0] ?? null;
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
