import { describe, expect, it } from "vitest";
import fc from "../../../test/fast-check.ts";
import { AddressRule } from "./address.ts";

const rule = new AddressRule();

describe("the address rule", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:169.254.169.254",
    "::ffff:0a00:0001",
    "::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "not an address",
    "127.1",
    "0x7f.0.0.1",
    "",
  ])("refuses %s", (address) => expect(rule.permits(address)).toBe(false));

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00::1",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
  ])("permits %s", (address) => expect(rule.permits(address)).toBe(true));

  it("permits what is allowed by configuration, in its IPv4-mapped form too, and nothing beside it", () => {
    const allowing = new AddressRule(["127.0.0.0/8", "fd00::/8", "10.0.0.7"]);
    for (const address of ["127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "fd12::1", "10.0.0.7"])
      expect(allowing.permits(address)).toBe(true);
    for (const address of ["10.0.0.8", "192.168.0.1", "::1", "fe80::1", "::ffff:10.0.0.8"])
      expect(allowing.permits(address)).toBe(false);
  });

  it("judges an IPv4 address the same in every IPv6 form that stands for it", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const judged = rule.permits(address);
        for (const form of [
          `::ffff:${address}`,
          `::ffff:${hex}`,
          `64:ff9b::${hex}`,
          `0:0:0:0:0:ffff:${hex}`,
        ]) {
          expect(rule.permits(form)).toBe(judged);
        }
      }),
    );
  });

  it("permits no IPv6 address outside of what is assigned as global unicast", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(address.split(":")[0] || "0", 16);
        if (rule.permits(address) && !/^(?:64:ff9b:|::ffff:|0*:0*)/i.test(address))
          expect(first >> 13).toBe(1);
      }),
      { numRuns: 500 },
    );
  });
});
