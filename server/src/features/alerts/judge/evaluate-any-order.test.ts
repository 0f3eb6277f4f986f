// The guarantees of evaluate.ts for any sequence of signals, gaps in knowledge, reorganisations, silences, acknowledgements and pauses.

import { expect, it } from "vitest";
import fc from "../../../../test/fast-check.ts";
import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import { isWorse } from "../../../monitors/base/finding.ts";
import { keyOf, type Signal } from "../state/signal.ts";
import { FLAPPING_CYCLES, FLAPPING_MS, REMINDER_MS } from "./evaluate.ts";
import { Life, signalOf, type Told, VAULT } from "./test-signals.ts";

const SUBJECTS = ["a", "b"];

type Sight = AlertSeverity | "none" | "unknown" | "held";

type Step =
  | { do: "look"; sights: Sight[] }
  | { do: "pass"; ms: number }
  | { do: "acknowledge"; subject: string }
  | { do: "silence"; ms: number; category: string | null }
  | { do: "unsilence" }
  | { do: "reorganise"; subject: string };

const sight = fc.constantFrom<Sight>("none", "none", "info", "warning", "critical", "unknown", "held");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("look" as const), sights: fc.tuple(sight, sight) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 1000, 20_000, 60_000, 299_999, 300_000, 3_599_999, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("acknowledge" as const), subject: fc.constantFrom(...SUBJECTS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("silence" as const),
      ms: fc.constantFrom(1000, 300_000, 7_200_000),
      category: fc.constantFrom(null, "keeper_run", "upkeep"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unsilence" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("reorganise" as const), subject: fc.constantFrom(...SUBJECTS) }),
  },
) as fc.Arbitrary<Step>;

const keyOfSubject = (subject: string) => keyOf(signalOf(subject, "info"));

function lookAt(life: Life, sights: readonly Sight[]): { signals: Signal[]; unknown: Set<string> } {
  const unknown = new Set<string>();
  const signals = sights.flatMap((seen, index) => {
    const subject = SUBJECTS[index]!;
    if (seen === "none") return [];
    if (seen === "unknown") {
      unknown.add(keyOfSubject(subject));
      return [];
    }
    return [seen === "held" ? signalOf(subject, "critical", { opens: false }) : signalOf(subject, seen)];
  });
  life.step(signals, { unknown });
  return { signals, unknown };
}

function run(steps: readonly Step[]): Life {
  const life = new Life();
  for (const each of steps) {
    switch (each.do) {
      case "pass":
        life.nowMs += each.ms;
        break;
      case "acknowledge":
        life.acknowledge(keyOfSubject(each.subject));
        break;
      case "silence":
        life.silences.push({
          chainId: 1,
          vaultAddress: VAULT,
          category: each.category,
          endsAtMs: life.nowMs + each.ms,
        });
        break;
      case "unsilence":
        life.silences = [];
        break;
      case "reorganise": {
        const alert = life.open.get(keyOfSubject(each.subject));
        if (alert) life.open.set(keyOf(alert), { ...alert, isBlockGone: true });
        break;
      }
      case "look": {
        const before = life.told.length;
        const { signals, unknown } = lookAt(life, each.sights);
        checkAfter(life, signals, unknown, life.told.slice(before));
        // The same again, by this worker or another, decides nothing more.
        const told = life.told.length;
        expect(life.step(signals, { unknown }).transitions).toEqual([]);
        expect(life.told.length).toBe(told);
      }
    }
  }
  return life;
}

/** What must hold after every look. */
function checkAfter(life: Life, signals: Signal[], unknown: Set<string>, told: readonly Told[]): void {
  const isSilenced = life.silences.some(
    ({ endsAtMs, category }) => endsAtMs > life.nowMs && (category === null || category === "keeper_run"),
  );
  if (isSilenced) expect(told.filter(({ type }) => type === "firing" || type === "updated")).toEqual([]);
  for (const subject of SUBJECTS) {
    const key = keyOfSubject(subject);
    const signal = signals.find((each) => each.subject === subject);
    const alert = life.open.get(key);
    if (signal && signal.opens !== false) {
      expect(alert?.severity).toBe(signal.severity);
      // Who is awake knows how bad it is, unless a silence or an acknowledgement holds it back.
      if (!isSilenced && !alert!.isAcknowledged) {
        expect(alert!.notified).not.toBeNull();
        expect(isWorse(alert!.severity, alert!.notified!.severity)).toBe(false);
        if (alert!.severity === "critical")
          expect(life.nowMs - alert!.notified!.atMs).toBeLessThan(REMINDER_MS);
      }
    }
    if (!signal && !unknown.has(key) && alert) {
      expect(alert.isFlapping).toBe(true);
      expect(life.nowMs - alert.quietSinceMs!).toBeLessThan(FLAPPING_MS);
    }
  }
}

it("tells each alert's opening once, then its updates, then its end once, and no end without its opening", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
      const life = run(steps);
      for (const [id, notices] of Map.groupBy(life.told, (notice) => notice.id)) {
        const words = notices.map(({ type }) => type);
        expect(words.join(" "), id).toMatch(/^firing( updated)*( resolved| withdrawn)?$/);
        const isClosed = life.closed.some((closed) => closed.id === id);
        expect(/resolved|withdrawn/.test(words.join(" "))).toBe(isClosed);
      }
    }),
    { numRuns: 300 },
  );
});

it("tells no matter more often open than flapping lets it, in any five minutes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const openings = run(steps).told.filter(({ type }) => type === "firing");
      for (const [, of] of Map.groupBy(openings, ({ key }) => key)) {
        for (const { atMs } of of) {
          // One that is held open ends when five minutes are over, and may open again in that very moment.
          const within = of.filter((other) => other.atMs >= atMs && other.atMs < atMs + FLAPPING_MS);
          expect(within.length).toBeLessThanOrEqual(FLAPPING_CYCLES);
        }
      }
    }),
    { numRuns: 300 },
  );
});

it("says when to look again: looking at no other moment tells the same", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<AlertSeverity>("warning", "critical"),
      fc.integer({ min: 0, max: 8_000_000 }),
      fc.boolean(),
      (severity, forMs, isSilenced) => {
        const toldBy = (look: (life: Life, untilMs: number) => void) => {
          const life = new Life();
          const startMs = life.nowMs;
          if (isSilenced)
            life.silences.push({
              chainId: 1,
              vaultAddress: VAULT,
              category: null,
              endsAtMs: startMs + 1_234_567,
            });
          look(life, startMs + forMs);
          return life.told.map(({ type, atMs }) => `${type} ${atMs - startMs}`);
        };
        const signals = [signalOf("a", severity)];
        const often = toldBy((life, untilMs) => {
          for (; life.nowMs <= untilMs; life.nowMs += 1_000) life.step(signals);
        });
        const whenTold = toldBy((life, untilMs) => {
          for (;;) {
            const { wakeMs } = life.step(signals);
            if (wakeMs === null || wakeMs > untilMs) return;
            expect(wakeMs).toBeGreaterThan(life.nowMs);
            life.nowMs = wakeMs;
          }
        });
        const rounded = (words: string[]) =>
          words.map((word) => word.replace(/\d+$/, (ms) => String(Math.ceil(Number(ms) / 1000))));
        // Looking once a second sees each moment up to a second late.
        expect(rounded(whenTold).slice(0, often.length)).toEqual(rounded(often));
      },
    ),
    { numRuns: 100 },
  );
});
