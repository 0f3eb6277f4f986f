// Channels as a queue of the outbox: in order for each channel, several notices as one message where its provider groups.
//
// Guarantee: a resolve goes to a channel only after the channel has taken the firing, and where its provider asks for it under the
// configuration that the firing went out under. What a provider refuses as a group is tried one by one, so that no single notice keeps
// the others back.
import type { Delivery, DeliveryQueue, Outcome } from "../../../delivery/types.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { isFiring, isOver, type Notice } from "../notice/notice.ts";
import type { Verdict } from "../providers/provider.ts";
import { newToken } from "../store/mail-addresses.ts";
import { confirmationMail } from "./confirmation-mail.ts";
import { type DeliverParts, deliver, type Sent, TIMEOUT_MS } from "./deliver.ts";
import { markSent, sentBefore } from "./rate-budget.ts";
import { type Note, settleNotices } from "./settle.ts";
import {
  type AcceptedFiring,
  type AddressTarget,
  acceptedFirings,
  type ChannelTarget,
  loadTargets,
  type OpenConfig,
} from "./targets.ts";

export interface ChannelQueueParts extends DeliverParts {
  db: Database;
  clock: Clock;
  log: Logger;
  box: SecretBox;
  publicUrl: string;
  alertsUrl: string;
  /** Sender of mails. */
  from: string;
  /** Spread of the waits between attempts; 0 to 1. */
  random: () => number;
}

const MAX_PER_SEND = 200;
const LEASE_MS = 30_000;
/** One by one, no further notice is begun after this time, so that the last one ends within the lease. */
const BEGIN_WITHIN_MS = LEASE_MS - 2 * TIMEOUT_MS;
/** Seconds between attempts, about half an hour in all. Then the delivery is dead, and an alert tells another channel. */
const WAITS_SECONDS = [1, 2, 4, 8, 16, 30, 60, 120, 240, 300, 300, 300, 300];
const JITTER = 0.2;

export function channelQueue(parts: ChannelQueueParts): DeliveryQueue<ChannelTarget | AddressTarget> {
  const { db, clock, log, box, random } = parts;
  return {
    name: "channel",
    leaseMs: LEASE_MS,
    concurrencyPerTarget: 1,
    slots: 32,
    isOrdered: true,
    maxPerSend: MAX_PER_SEND,
    loadTargets: (ids) => loadTargets(db, box, log, ids),
    schedule(attempt) {
      const seconds = WAITS_SECONDS[attempt - 1];
      return seconds === undefined ? null : seconds * 1000 * (1 + JITTER * random());
    },
    async send(target, deliveries, signal) {
      if (target.kind === "address") return askAddress(parts, target, deliveries, signal);
      const { id, owner, provider, current, seal } = target;
      if (current === null)
        return deliveries.map(() => ({
          kind: "retry",
          error: "the channel's secrets do not open; the log says why",
        }));
      const notices = deliveries.map(({ body }) => JSON.parse(body) as Notice);
      const accepted = await acceptedFirings(
        db,
        box,
        id,
        notices.map(({ alert }) => alert.id),
      );
      return new Batch(
        parts,
        { owner, provider, current, seal },
        deliveries,
        notices,
        accepted,
        signal,
      ).run();
    },
    onSettled: (tx, settled) => settleNotices(tx, box, clock.now(), log, settled),
  };
}

type Sendable = Pick<ChannelTarget, "owner" | "provider" | "seal"> & { current: OpenConfig };

/** Asks an address once, however often that was called for meanwhile. What the mail server refuses is told in the channel's record; no alert
 * comes of it. */
async function askAddress(
  { db, mailer, from, publicUrl }: ChannelQueueParts,
  target: AddressTarget,
  deliveries: readonly Delivery[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const token = await newToken(db.kysely, target.id);
  const deliveryId = (deliveries[0] as Delivery).id;
  const mail = confirmationMail(target, { publicUrl, from, token, deliveryId });
  const verdict = await mailer.send(mail, { timeoutMs: TIMEOUT_MS, signal });
  return deliveries.map(() => {
    if (verdict.kind === "delivered") return { kind: "delivered" };
    if (verdict.kind === "retry") return { kind: "retry", error: verdict.reason };
    return { kind: "dead", error: verdict.reason };
  });
}

/** The deliveries that one send was given, on their way out. */
class Batch {
  readonly #parts: ChannelQueueParts;
  readonly #target: Sendable;
  readonly #deliveries: readonly Delivery[];
  readonly #notices: readonly Notice[];
  /** By alert: what the channel has taken the firing of. Grows as notices go out. */
  readonly #accepted: Map<string, AcceptedFiring>;
  readonly #signal: AbortSignal;
  readonly #beganAt = performance.now();

  constructor(
    parts: ChannelQueueParts,
    target: Sendable,
    deliveries: readonly Delivery[],
    notices: readonly Notice[],
    accepted: Map<string, AcceptedFiring>,
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#target = target;
    this.#deliveries = deliveries;
    this.#notices = notices;
    this.#accepted = accepted;
    this.#signal = signal;
  }

  async run(): Promise<Outcome[]> {
    return this.#target.provider.isGrouping ? this.#together() : this.#oneByOne();
  }

  async #together(): Promise<Outcome[]> {
    const fired = new Set<string>();
    const isSent = this.#notices.map((notice) => {
      const { id } = notice.alert;
      if (isFiring(notice)) fired.add(id);
      return !isOver(notice) || fired.has(id) || this.#accepted.has(id);
    });
    const sent = this.#notices.flatMap((notice, index) => (isSent[index] ? [{ notice, index }] : []));
    const outcomes: Outcome[] = this.#notices.map(() => ({ kind: "canceled" }));
    if (sent.length === 0) return outcomes;
    const result = await this.#deliver(
      sent.map(({ notice }) => notice),
      this.#deliveries[sent[0]!.index]!,
    );
    // Refused for what is in it, it may be for one notice alone.
    if (result.verdict.kind === "dead" && sent.length > 1) return this.#oneByOne();
    for (const { index } of sent) outcomes[index] = this.#outcomeOf(result);
    return outcomes;
  }

  /** In order, until one is to be tried again: what comes after that one waits behind it. */
  async #oneByOne(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const sent = await sentBefore(this.#parts.db, this.#deliveries);
    for (const [index, notice] of this.#notices.entries()) {
      const delivery = this.#deliveries[index] as Delivery;
      if (sent.has(delivery.id)) {
        outcomes.push(this.#sentOutcome());
        this.#noteAccepted(notice);
        continue;
      }
      if (isOver(notice) && !this.#accepted.has(notice.alert.id)) {
        outcomes.push({ kind: "canceled" });
        continue;
      }
      if (index > 0 && (this.#signal.aborted || performance.now() - this.#beganAt > BEGIN_WITHIN_MS)) break;
      const result = await this.#deliver([notice], delivery);
      outcomes.push(this.#outcomeOf(result));
      if (result.verdict.kind === "retry" || result.verdict.kind === "gone") break;
      if (result.verdict.kind !== "delivered") continue;
      this.#noteAccepted(notice);
      const isLast = index === this.#notices.length - 1;
      if (!isLast && !(await markSent(this.#parts.db, this.#parts.log, delivery.id))) break;
    }
    return this.#notices.map((_, index) => outcomes[index] ?? { kind: "unsent" });
  }

  #noteAccepted(notice: Notice): void {
    const { id } = notice.alert;
    if (isFiring(notice) && !this.#accepted.has(id)) this.#accepted.set(id, { config: this.#target.current });
  }

  #sentOutcome(): Outcome {
    const note: Note = { configId: this.#target.current.id };
    return { kind: "delivered", excerpt: "sent before its worker stopped", note: JSON.stringify(note) };
  }

  #deliver(notices: readonly Notice[], first: Delivery): Promise<Sent> {
    const { owner, provider, current, seal } = this.#target;
    const [notice] = notices as [Notice];
    const trigger = this.#accepted.get(notice.alert.id)?.config;
    const config = provider.isBoundToTrigger && notice.form !== "test" ? (trigger ?? current) : current;
    const context = {
      alertsUrl: this.#parts.alertsUrl,
      from: this.#parts.from,
      nowSeconds: Math.floor(this.#parts.clock.now() / 1000),
      messageId: first.eventId ?? first.id,
      seal,
    };
    return deliver(this.#parts, { owner, provider, config: config.whole }, notices, context, this.#signal);
  }

  #outcomeOf({ verdict, statusCode, excerpt }: Sent): Outcome {
    const { provider, current } = this.#target;
    const common = {
      ...(statusCode === undefined ? {} : { statusCode }),
      ...(excerpt === undefined ? {} : { excerpt }),
      note: noteOf(verdict, current.id),
    };
    switch (verdict.kind) {
      case "delivered": {
        const pauseTargetMs = Math.max(provider.minIntervalMs, verdict.pauseMs ?? 0);
        return { kind: "delivered", ...common, ...(pauseTargetMs > 0 ? { pauseTargetMs } : {}) };
      }
      case "retry": {
        const { reason: error, afterMs } = verdict;
        const wait = afterMs === undefined ? {} : { retryAfterMs: afterMs, pauseTargetMs: afterMs };
        return { kind: "retry", error, ...common, ...wait };
      }
      default:
        return { kind: "dead", error: verdict.reason, ...common };
    }
  }
}

function noteOf(verdict: Verdict, configId: string): string {
  const note: Note = {
    configId,
    ...(verdict.kind === "gone" ? { gone: verdict.reason } : {}),
    ...(verdict.kind === "retry" && verdict.config !== undefined
      ? { config: verdict.config as Record<string, string> }
      : {}),
  };
  return JSON.stringify(note);
}
