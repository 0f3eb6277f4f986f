// Which actions rules may hand to bots and with what: the families' tables as they are marked, and what is refused of a setting.
import { describe, expect, test } from "vitest";
import { CONTROLLER_ACTIONS } from "../../../chain/controllers/actions.ts";
import type { Action } from "../../../chain/families/family/action.ts";
import { createFamilies } from "../../../chain/families/registry.ts";
import { silentLogger } from "../../../platform/log.ts";
import { checkSetting, dispatchSchema } from "./derisking.ts";

const families = createFamilies(silentLogger());
const marked = (actions: readonly Action[] = []) =>
  actions.filter(({ deRisks }) => deRisks !== undefined).map(({ name }) => name);

describe("the actions that take risk away", () => {
  test.each([
    [
      "supervault",
      [
        "pause",
        "cancel_primary_manager",
        "veto_hooks_root",
        "cancel_pps_expiration",
        "cancel_min_update_interval",
      ],
    ],
    ["morpho_vault_v2", ["revoke", "decrease_absolute_cap", "decrease_relative_cap", "deallocate"]],
    ["metamorpho", ["revoke", "decrease_cap", "deallocate"]],
    ["euler_earn", ["revoke", "decrease_cap", "deallocate"]],
    ["lagoon", ["pause"]],
    ["yearn_v3", []],
    ["erc4626", []],
  ] as const)("of %s", (family, names) => {
    expect(marked(families[family].actions)).toEqual(names);
  });

  test("of a timelock", () => expect(marked(CONTROLLER_ACTIONS)).toEqual(["cancel_scheduled_operation"]));

  test("none of them waits", () => {
    const all = [...Object.values(families).flatMap(({ actions = [] }) => actions), ...CONTROLLER_ACTIONS];
    expect(all.filter(({ deRisks, isTimelocked }) => deRisks !== undefined && isTimelocked)).toEqual([]);
  });
});

const SUPERVAULT = families.supervault.actions!;
const MORPHO = families.morpho_vault_v2.actions!;
const CURATED = [families.metamorpho.actions!, families.euler_earn.actions!] as const;
const ID = `0x${"ab".repeat(32)}`;

const check = (
  actions: readonly Action[],
  action: string,
  parameters: Record<string, unknown> = {},
  category = "governance",
) => checkSetting(actions, { category, action, parameters, from: null }, "/dispatch/0");

describe("a setting", () => {
  test.each<[string, readonly Action[], string, Record<string, unknown>, string?, object?]>([
    ["without parameters", SUPERVAULT, "pause", {}],
    [
      "of parameters in one form",
      MORPHO,
      "decrease_absolute_cap",
      { id: ID.toUpperCase().replace("X", "x"), cap: "5" },
      "price",
      { id: ID, cap: "5" },
    ],
    ["that leaves the change to the alert", MORPHO, "revoke", {}],
    ["of null, which is the same", MORPHO, "revoke", { id: null }, "governance", {}],
    ["of one change", MORPHO, "revoke", { id: "0x1:2" }, "price"],
    ["of a veto", SUPERVAULT, "veto_hooks_root", { vetoed: true }, "merkle"],
    ["of a market's cap of 0", CURATED[0], "decrease_cap", { id: ID, cap: "0" }, "price"],
    ["of an operation that the alert tells", CONTROLLER_ACTIONS, "cancel_scheduled_operation", {}],
  ])("%s is kept", (_, actions, action, parameters, category = "governance", kept = parameters) => {
    expect(check(actions, action, parameters, category)).toEqual({
      setting: { category, action, parameters: kept, from: null },
    });
  });

  test.each<[string, readonly Action[], string, Record<string, unknown>, string, string, string?]>([
    [
      "an action that there is not",
      SUPERVAULT,
      "explode",
      {},
      "/dispatch/0/action",
      "is no action of this vault: possible are pause, ",
    ],
    [
      "an action that takes no risk away",
      SUPERVAULT,
      "unpause",
      {},
      "/dispatch/0/action",
      "is not a de-risking action: possible are pause, ",
    ],
    [
      "an action that waits",
      MORPHO,
      "submit_add_adapter",
      { account: ID.slice(0, 42) },
      "/dispatch/0/action",
      "possible are revoke, decrease_absolute_cap",
    ],
    [
      "any action of a family that has none",
      [],
      "pause",
      {},
      "/dispatch/0/action",
      "the vault has none that may be set",
    ],
    [
      "a parameter that is missing",
      MORPHO,
      "deallocate",
      { id: ID },
      "/dispatch/0/parameters/assets",
      "is missing",
    ],
    [
      "a change that no alert of the category tells",
      MORPHO,
      "revoke",
      {},
      "/dispatch/0/parameters/id",
      "is missing",
      "price",
    ],
    [
      "a parameter that there is not",
      SUPERVAULT,
      "pause",
      { now: true },
      "/dispatch/0/parameters/now",
      "is not a parameter",
    ],
    [
      "a number that is none",
      MORPHO,
      "decrease_absolute_cap",
      { id: ID, cap: 5 },
      "/dispatch/0/parameters/cap",
      "decimal string",
    ],
    [
      "a veto that is taken back",
      SUPERVAULT,
      "veto_hooks_root",
      { vetoed: false },
      "/dispatch/0/parameters/vetoed",
      "must be true",
    ],
    [
      "a market's cap that is not 0, which may be a raise by then",
      CURATED[0],
      "decrease_cap",
      { id: ID, cap: "1" },
      "/dispatch/0/parameters/cap",
      "must be 0",
    ],
    [
      "a strategy's cap that is not 0",
      CURATED[1],
      "decrease_cap",
      { id: ID.slice(0, 42), cap: "1" },
      "/dispatch/0/parameters/cap",
      "must be 0",
    ],
    [
      "a veto that is neither",
      SUPERVAULT,
      "veto_hooks_root",
      {},
      "/dispatch/0/parameters/vetoed",
      "is missing",
    ],
  ])("%s is refused", (_, actions, action, parameters, path, message, category = "governance") => {
    const checked = check(actions, action, parameters, category);
    expect("faults" in checked && checked.faults[0]).toMatchObject({
      path,
      message: expect.stringContaining(message),
    });
  });
});

describe("the schema of what is set", () => {
  const schemaOf = (actions: readonly Action[], name: string) =>
    dispatchSchema(actions.find((action) => action.name === name)!);

  test("says what is fixed, and what the alert may tell", () => {
    expect(schemaOf(SUPERVAULT, "veto_hooks_root")).toMatchObject({
      properties: { vetoed: { const: true } },
    });
    expect(schemaOf(MORPHO, "revoke")).toMatchObject({
      properties: { id: { "x-from-alert": ["governance"] } },
      required: ["id"],
    });
  });

  test("is none where the action takes no risk away", () => {
    expect(schemaOf(SUPERVAULT, "unpause")).toBeNull();
  });
});
