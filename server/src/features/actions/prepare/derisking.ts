// Which actions a vault's rules may hand to bots, and with which parameters: those that take risk away at once and add none, as the families' tables
// mark them. Pure.
import type { Action } from "../../../chain/families/family/action.ts";
import { parametersSchema, readParameters } from "../../../chain/families/family/parameters.ts";
import type { Json } from "../../../chain/governance.ts";
import type { FieldError } from "../../../platform/errors.ts";

/** An action to be handed out when an alert of the category is critical. */
export interface DispatchSetting {
  category: string;
  action: string;
  /** In canonical form once it was checked. */
  parameters: Readonly<Record<string, Json>>;
  /** Who will send it; null: whoever set it, or the Safe for which they sign. */
  from: `0x${string}` | null;
}

/** Alerts of these say of which change that waits they tell. */
const NAMING: readonly string[] = ["governance"];

/** The schema of the parameters as they are set; null: it is no de-risking action. `x-from-alert`: categories whose alerts tell it. */
export function dispatchSchema(action: Action): Record<string, Json> | null {
  if (action.deRisks === undefined) return null;
  const schema = parametersSchema(action.parameters);
  const properties = schema.properties as Record<string, Record<string, Json>>;
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const fixed = fixedOf(action)[name];
        return [
          name,
          {
            ...property,
            ...(fixed !== undefined && { const: fixed }),
            ...(action.parameters[name]?.waits && { "x-from-alert": NAMING }),
          },
        ];
      }),
    ),
  };
}

/** What of it cannot be set, under `at`; else as it is kept. `actions`: the vault's. */
export function checkSetting(
  actions: readonly Action[],
  setting: Omit<DispatchSetting, "parameters"> & { parameters: Readonly<Record<string, unknown>> },
  at: string,
): { setting: DispatchSetting } | { faults: FieldError[] } {
  const action = actions.find(({ name }) => name === setting.action);
  const possible = actions.filter(({ deRisks }) => deRisks !== undefined).map(({ name }) => name);
  if (action?.deRisks === undefined) {
    const what = action === undefined ? "is no action of this vault" : "is not a de-risking action";
    const which =
      possible.length === 0 ? "the vault has none that may be set" : `possible are ${possible.join(", ")}`;
    return { faults: [{ path: `${at}/action`, message: `${what}: ${which}` }] };
  }
  const isSet = ([name]: [string, unknown]) => !isLeftToAlert(action, setting, name);
  const read = readParameters(
    Object.fromEntries(Object.entries(action.parameters).filter(isSet)),
    Object.fromEntries(Object.entries(setting.parameters).filter(isSet)),
  );
  const faults = "faults" in read ? read.faults : [];
  const wrong = Object.entries(fixedOf(action)).filter(
    ([name, value]) => name in setting.parameters && setting.parameters[name] !== value,
  );
  const all = [
    ...faults.map(({ path, message }) => ({ path: `${at}/${path.replace(".", "/")}`, message })),
    ...wrong.map(([name, value]) => ({
      path: `${at}/parameters/${name}`,
      message: `must be ${value}: with another value it takes no risk away`,
    })),
  ];
  if (all.length > 0 || "faults" in read) return { faults: all };
  return { setting: { ...setting, parameters: read.values } };
}

/** Whether the parameter was left out for the alert to tell. */
export function isLeftToAlert(
  action: Action,
  { category, parameters }: { category: string; parameters: Readonly<Record<string, unknown>> },
  name: string,
): boolean {
  const isNamed = action.parameters[name]?.waits !== undefined && NAMING.includes(category);
  return isNamed && (parameters[name] ?? null) === null;
}

function fixedOf({ deRisks }: Action): Readonly<Record<string, Json>> {
  return typeof deRisks === "object" ? deRisks : {};
}
