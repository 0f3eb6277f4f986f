// How the places of exports are shared out.
import { expect, it } from "vitest";
import { ExportPlaces } from "./places.ts";

/** Asks for a place; how that went, and what ends the export. */
function ask(places: ExportPlaces, wallet: string) {
  const { promise: isOver, resolve: end, reject: fail } = Promise.withResolvers<void>();
  let begun = false;
  const ended = places.hold(wallet, () => {
    begun = true;
    return isOver;
  });
  ended.catch(() => {});
  return { begun: () => begun, ended, end, fail };
}

const [ANN, BOB, COY] = ["0xa", "0xb", "0xc"] as const;

it("all together have 60 % of the sessions, and a wallet half of that, from the moment that they ask", async () => {
  const places = new ExportPlaces(() => 10);
  const asked = [ANN, ANN, ANN, ANN, BOB, BOB, BOB, COY].map((wallet) => ask(places, wallet));
  expect(asked.map((each) => each.begun())).toEqual([true, true, true, false, true, true, true, false]);
  await expect(asked[3]!.ended).rejects.toMatchObject({ code: "rate_limited" });
  await expect(asked[7]!.ended).rejects.toMatchObject({ code: "service_unavailable" });
});

it("a place is free again when its export has ended, well or not", async () => {
  const places = new ExportPlaces(() => 4);
  for (let n = 0; n < 3; n += 1) {
    const [first, second] = [ask(places, ANN), ask(places, ANN)];
    expect([first.begun(), second.begun()]).toEqual([true, false]);
    if (n % 2 === 0) first.end();
    else first.fail(new Error("cut short"));
    await first.ended.catch((error) => expect(error.message).toBe("cut short"));
  }
  expect(ask(places, ANN).begun()).toBe(true);
});

it("of one session there is one place", () => {
  const places = new ExportPlaces(() => 1);
  expect([ask(places, ANN).begun(), ask(places, BOB).begun()]).toEqual([true, false]);
});
