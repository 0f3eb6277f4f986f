import { describe, expect, it } from "vitest";
import { comparedAt, lags, type Position, prevailing } from "./nodes.ts";

const at = (number: number, timestamp = number * 12): Position => ({ number, timestamp, hash: "0x00" });

describe("a node lags", () => {
  it("when it is behind the best one by blocks and by the chain's time, whoever is the best", () => {
    expect(lags([at(100), at(96)])).toEqual([0, 4]);
    expect(lags([at(96), at(100)])).toEqual([4, 0]);
    expect(lags([at(100), at(97)])).toEqual([0, 0]);
  });

  it("not by blocks alone where they come faster than nodes tell each other, but by very many", () => {
    const quick = (number: number) => at(number, number / 4);
    expect(lags([quick(1000), quick(970)])).toEqual([0, 0]);
    expect(lags([at(1000, 5), at(935, 5)])).toEqual([0, 65]);
  });

  it("not because one of three claims a head that no other has", () => {
    expect(lags([at(1_000_000), at(100), at(99)])).toEqual([0, 0, 0]);
    expect(lags([at(1_000_000), at(100), at(50)])).toEqual([0, 0, 50]);
  });

  it("not when it did not answer, or is alone", () => {
    expect(lags([null, at(5), null])).toEqual([0, 0, 0]);
    expect(lags([null])).toEqual([0]);
  });
});

describe("branches", () => {
  it("are compared at the block known for certain, or a way below the lowest head", () => {
    expect(comparedAt([at(100), at(90)], { number: 88 })).toBe(88);
    expect(comparedAt([at(100), at(90)], { number: 95 })).toBe(58);
    expect(comparedAt([at(100), at(20)], null)).toBe(0);
  });

  it("prevail by number, then by what is known for certain, then by preference", () => {
    expect(prevailing(["0x0b", "0x0a", "0x0a"], "0x0b")).toBe("0x0a");
    expect(prevailing(["0x0b", "0x0a"], "0x0a")).toBe("0x0a");
    expect(prevailing(["0x0b", "0x0a"], "0x0c")).toBe("0x0b");
    expect(prevailing([null, "0x0a", null], null)).toBe("0x0a");
    expect(prevailing([null], "0x0a")).toBeNull();
  });
});
