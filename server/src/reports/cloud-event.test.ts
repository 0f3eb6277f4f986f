import { describe, expect, it } from "vitest";
import fc from "../../test/fast-check.ts";
import { readEvent } from "./cloud-event.ts";
import { EVENT_TYPES, type EventType } from "./events.ts";

const TYPES = Object.keys(EVENT_TYPES) as EventType[];
const run = (more: Record<string, unknown> = {}) => ({
  specversion: "1.0",
  id: "1",
  source: "/engine/main",
  type: "vaultops.service.run",
  time: "2026-05-09T12:00:00+02:00",
  data: EVENT_TYPES["vaultops.service.run"].example,
  ...more,
});
const problem = (value: unknown) => {
  const read = readEvent(value);
  return "problem" in read ? read.problem : null;
};

describe("readEvent", () => {
  it.each(TYPES)("takes the documented example of %s", (type) => {
    const subject = "8453:0x10ac0b33e1c4501cf3ec1cb1ae51ebfdbd2d4698";
    const read = readEvent(run({ type, subject, data: structuredClone(EVENT_TYPES[type].example) }));
    expect(read).toMatchObject({
      report: {
        type,
        vault: { chainId: 8453, vaultAddress: "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698" },
      },
    });
  });

  it("puts times and addresses into their canonical form", () => {
    const data = {
      service: "x",
      is_paused: true,
      paused_by: "0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266",
      next_run: "2026-05-09",
    };
    expect(readEvent(run({ type: "vaultops.service.state", data }))).toMatchObject({
      report: {
        time: "2026-05-09T10:00:00.000000Z",
        vault: null,
        data: {
          paused_by: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
          next_run: "2026-05-09T00:00:00.000000Z",
        },
      },
    });
  });

  it("lets extensions pass that are named and typed as CloudEvents has it", () => {
    expect(
      problem(run({ traceparent: "00-ab", sequence: 7, sampled: true, dataschema: "https://x.example/s" })),
    ).toBeNull();
    expect(problem(run({ traceparent: null, subject: null }))).toBeNull();
    expect(problem(run({ Trace: "x" }))?.errors).toEqual([
      { path: "/Trace", message: expect.stringContaining("extension") },
    ]);
    expect(problem(run({ trace_id: "x" }))).not.toBeNull();
    expect(problem(run({ trace: { id: 1 } }))).not.toBeNull();
    expect(problem(run({ data_base64: "AAAA", data: undefined }))?.detail).toContain("data_base64");
  });

  it.each(Object.entries(EVENT_TYPES))(
    "takes null in %s for what may be left out, and only for that",
    (type, definition) => {
      const { properties, required = [] } = definition.data as { properties: object; required?: string[] };
      const optional = Object.keys(properties).filter((name) => !required.includes(name));
      const subject = "8453:0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
      const given = Object.entries(definition.example).filter(([name]) => required.includes(name));
      const without = run({ type, subject, data: Object.fromEntries(given) });
      const nulls = Object.fromEntries([...given, ...optional.map((name) => [name, null])]);
      expect(readEvent(run({ type, subject, data: nulls }))).toEqual(readEvent(without));
      expect(problem(without)).toBeNull();
      for (const name of required)
        expect(problem(run({ type, subject, data: { ...nulls, [name]: null } }))).not.toBeNull();
      expect(problem(run({ type, subject, data: { ...nulls, surely_unknown: null } }))).not.toBeNull();
    },
  );

  it("keeps null where a report has names of its own", () => {
    const data = { ...EVENT_TYPES["vaultops.action"].example, details: { key: null } };
    const subject = "8453:0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
    expect(readEvent(run({ type: "vaultops.action", subject, data }))).toMatchObject({ report: { data } });
  });

  it.each([
    ["no object", 5],
    ["null", null],
    ["a list", []],
    ["an unknown type", run({ type: "vaultops.vault.pause" })],
    ["a type that every object has", run({ type: "constructor" })],
    ["a type that is no text", run({ type: { toString: "x" } })],
    ["no type", run({ type: undefined })],
    ["another version", run({ specversion: "0.3" })],
    ["no id", run({ id: undefined })],
    ["an empty id", run({ id: "" })],
    ["an id of a million letters", run({ id: "x".repeat(1e6) })],
    ["no source", run({ source: null })],
    ["no time", run({ time: undefined })],
    ["a time that is none", run({ time: "yesterday" })],
    ["a subject that is no vault id", run({ subject: "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698" })],
    ["a subject with a wrong checksum", run({ subject: "8453:0x10aC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698" })],
    ["another content type", run({ datacontenttype: "application/xml" })],
    ["no data", run({ data: undefined })],
    ["data that is text", run({ data: "{}" })],
    [
      "a misspelt member",
      run({ data: { ...EVENT_TYPES["vaultops.service.run"].example, finishedAt: "2026-05-09" } }),
    ],
    [
      "no vault where one must be named",
      run({ type: "vaultops.pps.report", data: EVENT_TYPES["vaultops.pps.report"].example }),
    ],
    [
      "a quantity beyond 78 digits",
      run({
        type: "vaultops.pps.report",
        subject: "1:0x10ac0b33e1c4501cf3ec1cb1ae51ebfdbd2d4698",
        data: { value: "9".repeat(79), at: "2026-05-09" },
      }),
    ],
  ])("refuses %s", (_name, value) => {
    expect(problem(value)).toMatchObject({ code: "invalid_event", status: 400 });
  });

  it("says what is wrong and where, and what was meant", () => {
    const found = problem(
      run({ data: { ...EVENT_TYPES["vaultops.service.run"].example, status: "ok", shedule_seconds: 1 } }),
    );
    expect(found?.errors).toEqual(
      expect.arrayContaining([
        { path: "/data/status", message: "must be one of success, failed, skipped" },
        { path: "/data/shedule_seconds", message: "is not known here; did you mean schedule_seconds?" },
      ]),
    );
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...TYPES), (value, type) => {
        readEvent(value);
        readEvent(run({ type, data: value }));
        readEvent(run({ type, subject: "1:0x10ac0b33e1c4501cf3ec1cb1ae51ebfdbd2d4698", data: value }));
      }),
    );
  });
});
