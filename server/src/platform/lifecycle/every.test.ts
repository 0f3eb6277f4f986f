import { expect, test } from "vitest";
import { silentLogger } from "../log.ts";
import { every } from "./every.ts";

test("a task of rounds goes on after a round that failed, and ends with its signal", async () => {
  const stop = new AbortController();
  let rounds = 0;
  const task = every({ name: "counting", role: "worker", ms: 1, log: silentLogger() }, async () => {
    rounds += 1;
    if (rounds === 1) throw new Error("not now");
    if (rounds === 3) stop.abort();
  });
  await task.run(stop.signal);
  expect(rounds).toBe(3);
});

test("a task of rounds does not wait for its pause when it is woken, or when it is to end", async () => {
  const stop = new AbortController();
  let wake = () => {};
  let rounds = 0;
  const task = every(
    {
      name: "waiting",
      role: "worker",
      ms: 2 ** 31 - 1,
      log: silentLogger(),
      wakenBy: (call) => {
        wake = call;
      },
    },
    async () => {
      rounds += 1;
      if (rounds < 3) wake();
      else setImmediate(() => stop.abort());
    },
  );
  await task.run(stop.signal);
  expect(rounds).toBe(3);
});
