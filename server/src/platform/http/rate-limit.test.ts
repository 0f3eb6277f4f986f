import { describe, expect, it } from "vitest";
import { networkKey, Quota } from "./rate-limit.ts";

function quotaOf(quota: number, windowSeconds = 60) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  return { clock, quota: new Quota({ name: "ip", quota, windowSeconds }, clock) };
}

describe("Quota", () => {
  it("allows exactly the quota in a window, then says how long to wait", () => {
    const { clock, quota } = quotaOf(2);
    expect(quota.take("a")).toEqual({
      isAllowed: true,
      policy: '"ip";q=2;w=60',
      limit: '"ip";r=1;t=60',
      resetSeconds: 60,
    });
    clock.ms += 10_000;
    expect(quota.take("a")).toMatchObject({ isAllowed: true, limit: '"ip";r=0;t=50' });
    expect(quota.take("a")).toMatchObject({ isAllowed: false, limit: '"ip";r=0;t=50', resetSeconds: 50 });
  });

  it("counts each key alone", () => {
    const { quota } = quotaOf(1);
    expect([quota.take("a").isAllowed, quota.take("a").isAllowed, quota.take("b").isAllowed]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("gives the quota anew when the window has ended, not before, and refusals do not prolong it", () => {
    const { clock, quota } = quotaOf(1);
    quota.take("a");
    clock.ms += 59_999;
    expect(quota.take("a")).toMatchObject({ isAllowed: false, resetSeconds: 1 });
    clock.ms += 1;
    expect(quota.take("a").isAllowed).toBe(true);
  });

  it("is not locked for long when the clock is set back", () => {
    const { clock, quota } = quotaOf(1);
    quota.take("a");
    clock.ms -= 86_400_000;
    expect(quota.take("a").isAllowed).toBe(true);
  });

  it("forgets ended windows, and holds a bounded number of keys under a flood of them", () => {
    const { clock, quota } = quotaOf(1);
    for (let i = 0; i < 1_000; i++) quota.take(`old${i}`);
    for (let window = 0; window < 3; window++) {
      clock.ms += 60_000;
      for (let i = 0; i < 1_000; i++) quota.take(`new${i}`);
      expect(quota.size).toBeLessThanOrEqual(2_000);
    }
    for (let i = 0; i < 150_000; i++) quota.take(`flood${i}`);
    expect(quota.size).toBeLessThanOrEqual(100_000);
  });
});

describe("networkKey", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("takes %s as %s", (ip, key) => expect(networkKey(ip)).toBe(key));
});
