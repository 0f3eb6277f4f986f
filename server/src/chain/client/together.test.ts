import { describe, expect, test } from "vitest";
import type { Call, CallResult, ChainClient } from "./client.ts";
import { together } from "./together.ts";

/** A call named by its data; it answers with the same. */
const call = (name: number): Call => ({
  to: "0x0000000000000000000000000000000000000001",
  data: `0x0${name}`,
});

function recording(answer: (calls: readonly Call[]) => CallResult[] = echo) {
  const rounds: string[][] = [];
  const multicall: ChainClient["multicall"] = async (calls) => {
    rounds.push(calls.map(({ data }) => data));
    return answer(calls);
  };
  return { client: { multicall } as ChainClient, rounds };
}

const echo = (calls: readonly Call[]): CallResult[] => calls.map(({ data }) => ({ success: true, data }));

/** Asks in so many rounds, for one call in each. */
const reader =
  (...names: number[]) =>
  async (client: ChainClient) => {
    const told: string[] = [];
    for (const name of names) told.push((await client.multicall([call(name)], { number: 1 }))[0]!.data);
    return told;
  };

const valuesOf = <T>(settled: PromiseSettledResult<T>[]) =>
  settled.map((each) => (each.status === "fulfilled" ? each.value : String(each.reason)));

describe("readers together", () => {
  test("what they ask for in the same round is one list, and each has its own answers", async () => {
    const { client, rounds } = recording();
    const told = await together(client, [reader(1, 2, 3), reader(4), reader(), reader(5, 6)]);
    expect(valuesOf(told)).toEqual([["0x01", "0x02", "0x03"], ["0x04"], [], ["0x05", "0x06"]]);
    expect(rounds).toEqual([["0x01", "0x04", "0x05"], ["0x02", "0x06"], ["0x03"]]);
  });

  test("one that asks for several lists at once, or ends in an error, holds up nobody", async () => {
    const { client, rounds } = recording();
    const twice = async (own: ChainClient) =>
      (await Promise.all([reader(1)(own), reader(2)(own)])).flat() as string[];
    const failing = async () => {
      throw new Error("of its own");
    };
    const told = await together(client, [twice, failing, reader(3, 4)]);
    expect(valuesOf(told)).toEqual([["0x01", "0x02"], "Error: of its own", ["0x03", "0x04"]]);
    expect(rounds).toEqual([["0x01", "0x02", "0x03"], ["0x04"]]);
  });

  test("a round that fails, fails for all who asked in it", async () => {
    const { client } = recording(() => {
      throw new Error("no answer");
    });
    const told = await together(client, [reader(1), reader(), reader(2)]);
    expect(valuesOf(told)).toEqual(["Error: no answer", [], "Error: no answer"]);
  });

  test("of other blocks, or with other patience, is another list", async () => {
    const { client, rounds } = recording();
    await together(client, [
      reader(1),
      async (own) => {
        await own.multicall([call(2)], { number: 2 });
        return [];
      },
      async (own) => {
        await own.multicall([call(3)], { number: 1 }, { isForGood: true });
        return [];
      },
    ]);
    expect(rounds).toEqual([["0x01"], ["0x02"], ["0x03"]]);
  });
});
