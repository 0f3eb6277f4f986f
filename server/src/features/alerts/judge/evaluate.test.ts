// The life of alerts, step by step. That it holds in any order of steps is in evaluate-any-order.test.ts.
import { describe, expect, it } from "vitest";
import { keyOf } from "../state/signal.ts";
import { FLAPPING_MS, REMINDER_MS, SEEN_MS } from "./evaluate.ts";
import { Life, signalOf, VAULT } from "./test-signals.ts";

const KEY = keyOf(signalOf("a", "warning"));
const WARNING = [signalOf("a", "warning")];
const CRITICAL = [signalOf("a", "critical")];
const MINUTE = 60_000;

/** A life in which the alert has been told. */
function firing(signals = WARNING): Life {
  const life = new Life();
  life.step(signals);
  expect(life.words()).toEqual(["firing"]);
  return life;
}

function silence(life: Life, forMs: number, category: string | null = null): void {
  life.silences = [{ chainId: 1, vaultAddress: VAULT, category, endsAtMs: life.nowMs + forMs }];
}

describe("an alert", () => {
  it("is told once when it opens, and once when it ends", () => {
    const life = firing();
    expect(life.step(WARNING).transitions).toEqual([]);
    life.step([]);
    expect(life.words()).toEqual(["resolved"]);
    expect(life.step([]).transitions).toEqual([]);
  });

  it("that comes back later is another one", () => {
    const life = firing();
    life.step([]);
    life.nowMs += MINUTE;
    life.step(WARNING);
    expect(life.words()).toEqual(["resolved", "firing"]);
    expect([...life.open.values()][0]?.id).not.toBe(life.closed[0]?.id);
  });

  it("of what happened once is told once, without reminders, and ends for good with its acknowledgement", () => {
    const once = [signalOf("a", "critical", { isOnce: true })];
    const life = firing(once);
    life.nowMs += 2 * REMINDER_MS;
    const { wakeMs } = life.step(once);
    expect([life.words(), wakeMs]).toEqual([[], null]);
    for (const alert of life.open.values()) Object.assign(alert, { isAcknowledged: true });
    life.step(once);
    expect(life.words()).toEqual(["resolved"]);
    expect(life.step(once, { over: new Set([KEY]) }).transitions).toEqual([]);
  });

  it("that gets worse is the same one, told as updated; one that gets better is told no more", () => {
    const life = firing();
    life.step(CRITICAL);
    expect(life.words()).toEqual(["updated: severity_raised"]);
    life.step(WARNING);
    expect(life.open.get(KEY)?.severity).toBe("warning");
    life.step(CRITICAL);
    expect(life.words()).toEqual([]);
    expect(life.open.size).toBe(1);
  });

  it("shows what has changed, and is seen once a minute, without a notice", () => {
    const life = firing();
    const other = signalOf("a", "warning", { message: "other" });
    expect(life.step([other]).transitions).toMatchObject([{ type: "update", signal: other, notice: null }]);
    life.nowMs += SEEN_MS - 1;
    expect(life.step([other]).transitions).toEqual([]);
    life.nowMs += 1;
    expect(life.step([other]).transitions).toMatchObject([{ type: "update", signal: null, notice: null }]);
  });

  it("names the conditions that were added", () => {
    const life = firing([signalOf("a", "warning", { conditions: ["late"] })]);
    const { transitions } = life.step([signalOf("a", "critical", { conditions: ["late", "silent"] })]);
    expect(transitions).toMatchObject([{ type: "update", added: ["silent"] }]);
  });

  it("of which nothing can be said stays as it is, and none is opened", () => {
    const unknown = new Set([KEY]);
    const life = firing();
    expect(life.step([], { unknown }).transitions).toEqual([]);
    expect(new Life().step(WARNING, { unknown }).transitions).toEqual([]);
  });

  it("is kept, but neither opened nor made worse, by a signal that may not open one", () => {
    const held = [signalOf("a", "critical", { opens: false })];
    expect(new Life().step(held).transitions).toEqual([]);
    const life = firing();
    expect(life.step(held).transitions).toEqual([]);
    expect(life.open.get(KEY)?.severity).toBe("warning");
  });
});

describe("a reorganisation", () => {
  const gone = (life: Life) => {
    life.open.set(KEY, { ...life.open.get(KEY)!, isBlockGone: true });
  };

  it("withdraws an alert whose block is gone, and does not resolve it", () => {
    const life = firing();
    gone(life);
    life.step([]);
    expect(life.words()).toEqual(["withdrawn"]);
  });

  it("neither repeats nor withdraws one that another block shows as well", () => {
    const life = firing([signalOf("a", "warning", { isUnconfirmed: true })]);
    gone(life);
    life.step([signalOf("a", "warning", { isUnconfirmed: false })]);
    expect(life.words()).toEqual([]);
    expect(life.open.get(KEY)?.isUnconfirmed).toBe(false);
  });
});

describe("reminders", () => {
  it("come hourly for a critical alert, at the hour, until somebody acknowledges it", () => {
    const life = firing(CRITICAL);
    expect(life.step(CRITICAL).wakeMs).toBe(life.nowMs + REMINDER_MS);
    life.nowMs += REMINDER_MS - 1;
    life.step(CRITICAL);
    expect(life.words()).toEqual([]);
    life.nowMs += 1;
    const { wakeMs } = life.step(CRITICAL);
    expect(life.words()).toEqual(["updated: reminder"]);
    expect(wakeMs).toBe(life.nowMs + REMINDER_MS);
    life.acknowledge(KEY);
    life.nowMs += 10 * REMINDER_MS;
    expect(life.step(CRITICAL).wakeMs).toBeNull();
    expect(life.words()).toEqual([]);
    life.step([]);
    expect(life.words()).toEqual(["resolved"]);
  });

  it("never come for a warning", () => {
    const life = firing();
    life.nowMs += 10 * REMINDER_MS;
    expect(life.step(WARNING).wakeMs).toBeNull();
    expect(life.words()).toEqual([]);
  });
});

describe("an acknowledgement", () => {
  it("is taken back when the alert gets worse than what was acknowledged", () => {
    const life = firing();
    life.acknowledge(KEY);
    life.step(CRITICAL);
    expect(life.words()).toEqual(["updated: severity_raised"]);
    expect(life.open.get(KEY)?.isAcknowledged).toBe(false);
  });

  it("stands through a change for the better and back", () => {
    const life = firing(CRITICAL);
    life.acknowledge(KEY);
    life.step(WARNING);
    life.step(CRITICAL);
    expect(life.words()).toEqual([]);
    expect(life.open.get(KEY)?.isAcknowledged).toBe(true);
  });

  it("of what nobody was told, under a silence, keeps it untold", () => {
    const life = new Life();
    silence(life, MINUTE);
    life.step(WARNING);
    life.acknowledge(KEY);
    life.nowMs += MINUTE;
    life.step(WARNING);
    life.step([]);
    expect(life.words()).toEqual([]);
  });
});

describe("a silence", () => {
  it("lets nothing be opened aloud; what still fires when it ends is told then, at its end", () => {
    const life = new Life();
    silence(life, 10 * MINUTE);
    const { wakeMs } = life.step(WARNING);
    expect(life.open.size).toBe(1);
    expect(wakeMs).toBe(life.nowMs + 10 * MINUTE);
    life.nowMs += 10 * MINUTE;
    life.step(WARNING);
    expect(life.words()).toEqual(["firing"]);
  });

  it("keeps the end of what was never told to itself, and tells the end of what was", () => {
    const quiet = new Life();
    silence(quiet, MINUTE);
    quiet.step(WARNING);
    quiet.step([]);
    expect(quiet.words()).toEqual([]);

    const life = firing();
    silence(life, MINUTE);
    life.step([]);
    expect(life.words()).toEqual(["resolved"]);
  });

  it("holds back reminders and what gets worse until it ends", () => {
    const life = firing();
    silence(life, 2 * REMINDER_MS);
    life.nowMs += REMINDER_MS;
    life.step(CRITICAL);
    expect(life.words()).toEqual([]);
    life.nowMs += REMINDER_MS;
    life.step(CRITICAL);
    expect(life.words()).toEqual(["updated: severity_raised"]);
  });

  it("of one category is none of another, and one of a vault none of another vault", () => {
    const life = new Life();
    silence(life, MINUTE, "upkeep");
    life.step(WARNING);
    expect(life.words()).toEqual(["firing"]);
    const other = new Life();
    other.silences = [{ chainId: 2, vaultAddress: VAULT, category: null, endsAtMs: other.nowMs + 1 }];
    other.step(WARNING);
    expect(other.words()).toEqual(["firing"]);
  });
});

describe("flapping", () => {
  const cycle = (life: Life, ms: number) => {
    life.step(WARNING);
    life.nowMs += ms;
    life.step([]);
    life.nowMs += ms;
  };

  it("is held open from the third cycle in five minutes on, until nothing was seen for five", () => {
    const life = new Life();
    for (let round = 0; round < 3; round += 1) cycle(life, 30_000);
    expect(life.words()).toEqual(["firing", "resolved", "firing", "resolved", "firing"]);
    for (let round = 0; round < 50; round += 1) cycle(life, 30_000);
    expect(life.words()).toEqual([]);
    expect(life.open.get(KEY)).toMatchObject({ isFlapping: true, quietSinceMs: life.nowMs - 30_000 });
    const { wakeMs } = life.step([]);
    expect(wakeMs).toBe(life.nowMs - 30_000 + FLAPPING_MS);
    life.nowMs = wakeMs! - 1;
    life.step([]);
    expect(life.words()).toEqual([]);
    life.nowMs += 1;
    life.step([]);
    expect(life.words()).toEqual(["resolved"]);
  });

  it("is none where the cycles take longer", () => {
    const life = new Life();
    for (let round = 0; round < 4; round += 1) cycle(life, 2 * MINUTE);
    expect(life.words()).toEqual(Array.from({ length: 4 }, () => ["firing", "resolved"]).flat());
  });

  it("does not keep what gets worse from being told", () => {
    const life = new Life();
    for (let round = 0; round < 3; round += 1) cycle(life, 1000);
    life.words();
    life.step(CRITICAL);
    expect(life.words()).toEqual(["updated: severity_raised"]);
  });
});
