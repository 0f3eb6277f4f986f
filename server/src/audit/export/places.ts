// How many exports may be under way: each holds a session of the pool for as long as its client reads, which may be for hours, and the
// other sessions are for all those who cannot wait for that.
import { Problem } from "../../platform/errors.ts";

/** Of the pool's sessions all exports together may hold so much, and the exports of one wallet so much of that; one each at least. */
const [SHARE, WALLET_SHARE] = [0.6, 0.5];
const RETRY_AFTER_SECONDS = 30;

export class ExportPlaces {
  readonly #sessions: () => number;
  readonly #taken = new Map<string, number>();

  /** `sessions`: how many the pool has. */
  constructor(sessions: () => number) {
    this.#sessions = sessions;
  }

  /**
   * Runs a wallet's export in a place that is its own until `run` has ended, well or not.
   * @throws Problem `rate_limited` when the wallet has as many under way as it may, `service_unavailable` when all have
   */
  async hold(wallet: string, run: () => Promise<void>): Promise<void> {
    const all = Math.max(1, Math.floor(this.#sessions() * SHARE));
    const own = Math.max(1, Math.floor(all * WALLET_SHARE));
    const mine = this.#taken.get(wallet) ?? 0;
    if (mine >= own) throw refusal("rate_limited", `${own} exports of this wallet are running`);
    const taken = this.#taken.values().reduce((sum, each) => sum + each, 0);
    if (taken >= all) throw refusal("service_unavailable", `${all} exports are running`);
    this.#taken.set(wallet, mine + 1);
    try {
      await run();
    } finally {
      this.#leave(wallet);
    }
  }

  #leave(wallet: string): void {
    const left = this.#taken.get(wallet)! - 1;
    if (left === 0) this.#taken.delete(wallet);
    else this.#taken.set(wallet, left);
  }
}

function refusal(code: "rate_limited" | "service_unavailable", what: string): Problem {
  return new Problem(code, `${what}, which is the maximum.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
