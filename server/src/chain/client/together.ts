// Together: several readers of one block, each of which asks in rounds. What all of them ask for in the same round goes out as one list of
// calls, so that vaults of several families cost as few requests as those of one.
//
// Guarantee: each reader gets what it would get alone. A round waits for the readers that are under way, and for nobody who has ended.
import type { ReadOptions } from "./calls.ts";
import type { BlockRef, Call, CallResult, ChainClient } from "./client.ts";

interface Asked {
  reader: number;
  calls: readonly Call[];
  at: BlockRef;
  options: ReadOptions | undefined;
  answer: PromiseWithResolvers<CallResult[]>;
}

/** Runs the readers, each with a client of its own. @returns how each ended, in their order */
export async function together<T>(
  client: ChainClient,
  readers: readonly ((client: ChainClient) => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const underWay = new Set(readers.keys());
  let asked: Asked[] = [];

  const flush = () => {
    const waiting = new Set(asked.map(({ reader }) => reader));
    if (asked.length === 0 || !underWay.isSubsetOf(waiting)) return;
    const round = asked;
    asked = [];
    for (const alike of Map.groupBy(round, ({ at, options }) => JSON.stringify([at, options])).values())
      void answerTogether(client, alike);
  };
  /** Once whoever asks for several lists at once has done so. */
  const flushSoon = () => queueMicrotask(flush);

  return await Promise.allSettled(
    readers.map(async (read, reader) => {
      const multicall: ChainClient["multicall"] = (calls, at, options) => {
        const answer = Promise.withResolvers<CallResult[]>();
        asked.push({ reader, calls, at, options, answer });
        flushSoon();
        return answer.promise;
      };
      try {
        return await read({ ...client, multicall });
      } finally {
        underWay.delete(reader);
        flushSoon();
      }
    }),
  );
}

async function answerTogether(client: ChainClient, asked: readonly Asked[]): Promise<void> {
  const [{ at, options }] = asked as [Asked];
  try {
    const results = await client.multicall(
      asked.flatMap(({ calls }) => calls),
      at,
      options,
    );
    let start = 0;
    for (const { calls, answer } of asked) {
      answer.resolve(results.slice(start, start + calls.length));
      start += calls.length;
    }
  } catch (error) {
    for (const { answer } of asked) answer.reject(error);
  }
}
