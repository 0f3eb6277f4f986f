import { describe, expect, it } from "vitest";
import fc from "../../../test/fast-check.ts";
import {
  microsecondsOf,
  parseTimestamp,
  timestampOfMicroseconds,
  timestampOfMs,
  timestampOfSeconds,
} from "./time.ts";

describe("parseTimestamp", () => {
  it.each([
    ["2026-05-09T10:00:00Z", "2026-05-09T10:00:00.000000Z"],
    ["2026-05-09T10:00:00", "2026-05-09T10:00:00.000000Z"],
    ["2026-05-09T10:00:00+02:00", "2026-05-09T08:00:00.000000Z"],
    ["2026-05-09T10:00:00+0200", "2026-05-09T08:00:00.000000Z"],
    ["2026-05-09T10:00:00-07", "2026-05-09T17:00:00.000000Z"],
    ["2026-05-09T10:00:00-00:00", "2026-05-09T10:00:00.000000Z"],
    ["2026-05-09T23:30:00-05:45", "2026-05-10T05:15:00.000000Z"],
    ["2026-05-09T10:00", "2026-05-09T10:00:00.000000Z"],
    ["2026-05-09T10:00Z", "2026-05-09T10:00:00.000000Z"],
    ["2026-05-09", "2026-05-09T00:00:00.000000Z"],
  ])("reads %s as %s", (text, canonical) => expect(parseTimestamp(text)).toBe(canonical));

  it.each([
    ["2026-05-09T10:00:00.1Z", "2026-05-09T10:00:00.100000Z"],
    ["2026-05-09T10:00:00.123456Z", "2026-05-09T10:00:00.123456Z"],
    ["2026-05-09T10:00:00.1234569Z", "2026-05-09T10:00:00.123456Z"],
    ["2026-05-09T10:00:00.999999999Z", "2026-05-09T10:00:00.999999Z"],
    ["2026-05-09T10:00:00,5Z", "2026-05-09T10:00:00.500000Z"],
  ])("cuts the fraction of %s to the microsecond, without rounding", (text, canonical) =>
    expect(parseTimestamp(text)).toBe(canonical),
  );

  it.each([
    ["20261128T150000Z", "2026-11-28T15:00:00.000000Z"],
    ["20261128T150000.5+0200", "2026-11-28T13:00:00.500000Z"],
    ["20261128T1500", "2026-11-28T15:00:00.000000Z"],
    ["20261128", "2026-11-28T00:00:00.000000Z"],
    ["2026-11-28t15:00:00z", "2026-11-28T15:00:00.000000Z"],
    ["20261128t150000z", "2026-11-28T15:00:00.000000Z"],
  ])("reads the basic form and small letters: %s as %s", (text, canonical) =>
    expect(parseTimestamp(text)).toBe(canonical),
  );

  it.each([
    "20261128T15:00:00Z",
    "2026-11-28T150000Z",
    "202611-28",
    "2026-W48-6",
    "2026W486",
    "2026-332",
    "2026332",
    "2026-11",
    "202611",
    "1795737600",
    "20261128150000",
  ])("does not take %s: mixed forms, weeks, days of the year, less than a day, no time", (text) =>
    expect(parseTimestamp(text)).toBeNull(),
  );

  it("understands the + that a query string turned into a space", () => {
    expect(parseTimestamp("2026-05-09T10:00:00 02:00")).toBe("2026-05-09T08:00:00.000000Z");
    expect(parseTimestamp("2026-05-09T10:00:00.5 0200")).toBe("2026-05-09T08:00:00.500000Z");
  });

  it("knows the length of months, leap years included", () => {
    expect(parseTimestamp("2024-02-29")).toBe("2024-02-29T00:00:00.000000Z");
    expect(parseTimestamp("2000-02-29")).toBe("2000-02-29T00:00:00.000000Z");
    for (const none of ["2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"]) {
      expect(parseTimestamp(none)).toBeNull();
    }
  });

  it("takes 24:00:00 as the end of the day and nothing past it", () => {
    expect(parseTimestamp("2026-12-31T24:00:00Z")).toBe("2027-01-01T00:00:00.000000Z");
    expect(parseTimestamp("2026-12-31T24:00:00.000Z")).toBe("2027-01-01T00:00:00.000000Z");
    for (const past of [
      "2026-12-31T24:00:01Z",
      "2026-12-31T24:01:00Z",
      "2026-12-31T24:00:00.1Z",
      "2026-12-31T25:00:00Z",
    ]) {
      expect(parseTimestamp(past)).toBeNull();
    }
  });

  it("takes a leap second as the second after it, and only where one can be", () => {
    expect(parseTimestamp("2016-12-31T23:59:60Z")).toBe("2017-01-01T00:00:00.000000Z");
    expect(parseTimestamp("2016-12-31T23:59:60.5Z")).toBe("2017-01-01T00:00:00.500000Z");
    expect(parseTimestamp("2017-01-01T00:59:60+01:00")).toBe("2017-01-01T00:00:00.000000Z");
    for (const none of ["2016-12-30T23:59:60Z", "2016-12-31T22:59:60Z", "2016-12-31T23:59:61Z"]) {
      expect(parseTimestamp(none)).toBeNull();
    }
  });

  it("keeps within the years 1 to 9999, which PostgreSQL and four digits can both write", () => {
    expect(parseTimestamp("0001-01-01")).toBe("0001-01-01T00:00:00.000000Z");
    expect(parseTimestamp("0099-06-01T00:00:00Z")).toBe("0099-06-01T00:00:00.000000Z");
    expect(parseTimestamp("9999-12-31T23:59:59.999999Z")).toBe("9999-12-31T23:59:59.999999Z");
    for (const none of [
      "0000-12-31",
      "0001-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "10000-01-01",
      "-0001-01-01",
    ]) {
      expect(parseTimestamp(none)).toBeNull();
    }
  });

  it.each([
    "",
    " ",
    "now",
    "1778234400",
    "2026-05",
    "2026-W19-6",
    "2026-129",
    "2026-05-09 10:00:00Z",
    "2026-05-09T10:00:00.Z",
    "2026-05-09T10:00:00.1234567890Z",
    "2026-05-09T10:00:00+24:00",
    "2026-05-09T10:00:00+02:60",
    "2026-05-09T10:00:00+2",
    "2026-05-09T10:00:00 +02:00",
    "2026-05-09T10:00:60Z",
    "2026-05-09T1:00:00Z",
    "2026-05-09Z",
    "2026-05-09T10:00:00Z ",
    "2026-05-09T10:00:00Z\n",
    "２026-05-09",
    "2026-05-09T10:00:00ZZ",
    "infinity",
    "epoch",
  ])("refuses %j", (text) => expect(parseTimestamp(text)).toBeNull());

  it("agrees with the system's own reading wherever both understand a text", () => {
    const date = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
    const offset = fc.tuple(
      fc.constantFrom("+", "-"),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    );
    const two = (value: number) => String(value).padStart(2, "0");
    fc.assert(
      fc.property(date, offset, fc.boolean(), (moment, [sign, hours, minutes], asQueryText) => {
        const local = moment.toISOString().slice(0, 23);
        const zone = `${sign}${two(hours)}:${two(minutes)}`;
        const expected = new Date(`${local}${zone}`).getTime();
        const read = parseTimestamp(`${local}${asQueryText && sign === "+" ? zone.replace("+", " ") : zone}`);
        expect(read).toBe(timestampOfMs(expected));
      }),
    );
  });

  it("never throws, and what it returns it reads again as the same", () => {
    const close = fc.stringMatching(/^[0-9TZ:.,+\- ]{0,40}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), close), (text) => {
        const read = parseTimestamp(text);
        if (read !== null) expect(parseTimestamp(read)).toBe(read);
      }),
      { numRuns: 2000 },
    );
  });

  it("orders as its texts sort", () => {
    const fraction = fc.integer({ min: 0, max: 999_999 });
    const seconds = fc.integer({ min: -60_000_000_000, max: 250_000_000_000 });
    const at = (whole: number, micros: number) =>
      `${new Date(whole * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, "0")}Z`;
    fc.assert(
      fc.property(seconds, fraction, seconds, fraction, (s1, f1, s2, f2) => {
        const [one, two] = [parseTimestamp(at(s1, f1)) ?? "", parseTimestamp(at(s2, f2)) ?? ""];
        expect(Math.sign(one.localeCompare(two, "en"))).toBe(Math.sign(s1 - s2 || f1 - f2));
      }),
    );
  });
});

describe("what the service writes", () => {
  it("always has six fractional digits", () => {
    expect(timestampOfMs(1_778_234_400_123)).toBe("2026-05-08T10:00:00.123000Z");
    expect(timestampOfSeconds(1_778_234_400)).toBe("2026-05-08T10:00:00.000000Z");
    expect(timestampOfSeconds(0)).toBe("1970-01-01T00:00:00.000000Z");
  });
});

it("writes six fractional digits, and reads back the very microsecond", () => {
  expect(timestampOfMicroseconds(1_778_320_800_123_456)).toBe("2026-05-09T10:00:00.123456Z");
  expect(timestampOfMicroseconds(0)).toBe("1970-01-01T00:00:00.000000Z");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (microseconds) => {
      expect(microsecondsOf(timestampOfMicroseconds(microseconds))).toBe(microseconds);
    }),
  );
});
