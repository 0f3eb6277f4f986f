// For tests of what is foretold: actions in order, each of which stands on what those before it left, and all of a catalogue among them. One of
// four is undone by a reorganisation before it is confirmed, and comes again; with VAULTOPS_FULL every one.
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { passTime } from "../../../../../demo/src/chain.ts";
import type { Ground } from "../../../../test/actions.ts";

const REORGANISED_EVERY = process.env.VAULTOPS_FULL === "1" ? 1 : 4;

type Asked = readonly [wallet: Address, action: string, parameters?: Record<string, unknown>, from?: Address];

/** Seconds that pass; who asks for which action, with which parameters, to be sent by whom; or such a one that is refused, with the reason. */
export type Step = number | Asked | { refused: Asked; because: string };

export interface Stepping {
  ground: Ground;
  vault: Address;
  /** What parameters say in capitals, as it is known once the contracts stand. `PENDING` is the newest pending change. */
  known?: Readonly<Record<string, string>>;
}

/** `of` is asked when a test runs. `catalogue`: every action that is to be among the steps. */
export function foretoldIsWhatComes(
  title: string,
  steps: readonly Step[],
  catalogue: readonly { name: string }[],
  of: () => Stepping,
): void {
  const labelled = steps.map((step, nth) => [`${nth}: ${labelOf(step)}`, step] as const);
  describe(`what is foretold is what comes: ${title}`, () => {
    test.each(labelled)("%s", (label, step) =>
      take(of(), step, Number.parseInt(label, 10) % REORGANISED_EVERY === 0),
    );

    test("for every action of the catalogue, and every entry that was foretold", () => {
      const { ground } = of();
      const done = new Set(steps.flatMap((step) => (isDone(step) ? [step[1]] : [])));
      expect([...done].sort()).toEqual(catalogue.map(({ name }) => name).sort());
      expect(ground.came).toBe(ground.foretold);
    });
  });
}

export async function take(
  { ground, vault, known = {} }: Stepping,
  step: Step,
  isReorganised = true,
): Promise<void> {
  if (typeof step === "number") {
    await passTime(ground.chain, step);
    return await ground.settle();
  }
  const [wallet, action, parameters = {}, from = null] = isDone(step) ? step : step.refused;
  const words: Record<string, unknown> = { ...known, PENDING: await ground.newestPending(vault) };
  const given = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, words[value as string] ?? value]),
  );
  if (isDone(step)) {
    await ground.proves(vault, wallet, action, given, { from, isReorganised });
    return;
  }
  await expect(ground.prepare(vault, wallet, action, given, from)).rejects.toMatchObject({
    code: "action_not_possible",
    message: expect.stringContaining(step.because),
  });
}

function isDone(step: Step): step is Asked {
  return Array.isArray(step);
}

function labelOf(step: Step): string {
  if (typeof step === "number") return `${step} s pass`;
  return isDone(step) ? step[1] : `${step.refused[1]} is refused: ${step.because}`;
}
