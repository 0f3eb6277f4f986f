import { expect, it } from "vitest";
import { failureOf, StepError } from "./failure.ts";

const refused = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8545") });

it("names the step and what lies behind", async () => {
  const error = new StepError("Reading the chain's past", refused);
  expect(await failureOf(error, new AbortController().signal, 0)).toBe(
    "Reading the chain's past: fetch failed (connect ECONNREFUSED 127.0.0.1:8545)",
  );
  expect(await failureOf(new Error("port 8080 is in use"), new AbortController().signal, 0)).toBe(
    "port 8080 is in use",
  );
});

it("says nothing where a part has died, which is told before all is ended", async () => {
  const ending = new AbortController();
  const said = failureOf(refused, ending.signal, 60_000);
  ending.abort();
  expect(await said).toBeNull();
  expect(await failureOf(refused, ending.signal, 60_000)).toBeNull();
});
