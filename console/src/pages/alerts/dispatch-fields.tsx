// What bots are handed with a vault's critical alerts: a primary manager chooses category, action and parameters; everybody else reads them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogueQuery, type Offer } from "../../api/actions.ts";
import { useIsPrimary } from "../../api/permissions.ts";
import { vaultQuery } from "../../api/vaults.ts";
import { dispatchFieldsOf, type FieldFault, parametersOf, type Units } from "../../parts/action-fields.ts";
import { Address } from "../../parts/address.tsx";
import { ParameterField } from "../../parts/parameter-field.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/form/field.tsx";
import { faultAt } from "../../ui/form/form-error.tsx";
import { Time } from "../../ui/time.tsx";
import { categoryName } from "./queries.ts";
import { type DispatchSetting, RULES, type Rules } from "./rule-fields.ts";

interface DispatchProps {
  id: { chain_id: number; address: string };
  rules: Rules;
  settings: readonly DispatchSetting[];
  /** Of what was sent. */
  error: unknown;
  onChange(settings: DispatchSetting[]): void;
}

type Possible = Offer & { dispatch_parameters: NonNullable<Offer["dispatch_parameters"]> };

export function DispatchFields({ id, rules, settings, error, onChange }: DispatchProps) {
  const { chain_id, address } = id;
  const isPrimary = useIsPrimary({ chain_id, vault_address: address });
  const { data: catalogue } = useQuery(catalogueQuery({ chain_id, vault: address }));
  const possible = (catalogue?.actions ?? []).filter(
    (offer): offer is Possible => offer.dispatch_parameters !== null,
  );
  const titleOf = (action: string) => possible.find((offer) => offer.action === action)?.title ?? action;
  return (
    <section aria-label="Calls for bots" className="flex flex-col gap-2">
      <h3 className="font-medium">Calls for bots</h3>
      <p className="text-xs text-ink-3">
        Prepared when an alert is critical, and sent with the event alert.dispatch. This service signs none.
      </p>
      {settings.length === 0 ? (
        <p className="text-sm text-ink-2">None are set.</p>
      ) : (
        <ul aria-label="What is handed out" className="flex flex-col divide-y">
          {settings.map((setting, index) => (
            <li key={keyOf(setting)} className="flex items-start justify-between gap-3 py-1.5">
              <span className="min-w-0 text-sm">
                {categoryName(setting.category)}: {titleOf(setting.action)}
                <Particulars setting={setting} />
                <Faults error={error} index={index} />
              </span>
              {isPrimary && (
                <Button
                  size="small"
                  aria-label={`Remove: ${categoryName(setting.category)}, ${titleOf(setting.action)}`}
                  onClick={() => onChange(settings.filter((other) => other !== setting))}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {rules.dispatch.length > 0 && rules.dispatch_updated_by !== null && (
        <p className="flex flex-wrap items-center gap-1 text-xs text-ink-3">
          Set <Time at={rules.dispatch_updated_at} /> by
          <Address value={rules.dispatch_updated_by} chainId={chain_id} label="who set the calls" />
        </p>
      )}
      {rules.dispatch.length > 0 && !rules.is_dispatch_in_force && (
        <div className="flex items-center justify-between gap-3">
          <p className="text-sm text-warning">
            Not in force: whoever set them is no primary manager of the vault now. One that is has to set them
            again.
          </p>
          {isPrimary && (
            <Button size="small" onClick={() => onChange([...settings])}>
              Set them again
            </Button>
          )}
        </div>
      )}
      {isPrimary ? (
        <NewSetting
          id={id}
          possible={possible}
          onAdd={(added) =>
            onChange([...settings.filter((setting) => keyOf(setting) !== keyOf(added)), added])
          }
          isLoaded={catalogue !== undefined}
        />
      ) : (
        <p className="text-xs text-ink-3">The vault's primary managers set them.</p>
      )}
    </section>
  );
}

const keyOf = ({ category, action, parameters, from }: DispatchSetting) =>
  JSON.stringify([category, action, parameters, from]);

function Particulars({ setting: { parameters, from } }: { setting: DispatchSetting }) {
  const lines = [
    ...Object.entries(parameters).map(([name, value]) => `${name}: ${String(value)}`),
    ...(from === null ? [] : [`from: ${from}`]),
  ];
  return lines.map((line) => (
    <span key={line} className="block break-all font-mono text-xs text-ink-2">
      {line}
    </span>
  ));
}

/** What the service says of a setting whose fields are shown no more. */
function Faults({ error, index }: { error: unknown; index: number }) {
  const message = ["", "/action", "/category", "/from"]
    .map((part) => faultAt(error, `/dispatch/${index}${part}`))
    .find((text) => text !== undefined);
  return message === undefined ? null : <span className="block text-critical">{message}</span>;
}

interface NewProps {
  id: DispatchProps["id"];
  possible: readonly Possible[];
  isLoaded: boolean;
  onAdd(setting: DispatchSetting): void;
}

function NewSetting({ id, possible, isLoaded, onAdd }: NewProps) {
  const { data: vault } = useQuery(vaultQuery(id));
  const [category, setCategory] = useState("");
  const [action, setAction] = useState("");
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({});
  const [from, setFrom] = useState("");
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  if (isLoaded && possible.length === 0)
    return <p className="text-xs text-ink-3">Nothing of this vault's actions only takes risk away.</p>;
  const units: Units = {
    asset: {
      decimals: vault?.underlying_asset_decimals ?? null,
      symbol: vault?.underlying_asset_symbol ?? null,
    },
    shares: { decimals: vault?.vault_share_decimals ?? null, symbol: vault?.symbol ?? null },
  };
  const offer = possible.find((each) => each.action === action);
  const { fields, fixed } = offer
    ? dispatchFieldsOf(offer.dispatch_parameters, category, units)
    : { fields: [], fixed: {} };
  const add = () => {
    const read = parametersOf(fields, draft);
    setFaults("faults" in read ? read.faults : []);
    if ("faults" in read || offer === undefined) return;
    onAdd({
      category: category as DispatchSetting["category"],
      action,
      parameters: { ...fixed, ...read.parameters },
      from: from.trim() === "" ? null : from.trim(),
    });
    setAction("");
    setDraft({});
    setFrom("");
  };
  return (
    <fieldset className="flex flex-col gap-2.5 rounded-md border p-3">
      <legend className="px-1 text-xs text-ink-3">Hand out another</legend>
      <div className="grid gap-x-4 gap-y-2.5 sm:grid-cols-2">
        <Field label="With critical alerts of">
          {(attributes) => (
            <Select {...attributes} value={category} onChange={(event) => setCategory(event.target.value)}>
              <option value="">Choose</option>
              {RULES.map((rule) => (
                <option key={rule.category} value={rule.category}>
                  {rule.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Action" hint={offer?.description}>
          {(attributes) => (
            <Select
              {...attributes}
              value={action}
              onChange={(event) => {
                setAction(event.target.value);
                setDraft({});
                setFaults([]);
              }}
            >
              <option value="">Choose</option>
              {possible.map((each) => (
                <option key={each.action} value={each.action}>
                  {each.title}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {fields.map((field) => (
        <ParameterField
          key={field.name}
          field={field}
          text={draft[field.name] ?? ""}
          error={faults.find(({ name }) => name === field.name)?.message}
          onChange={(text) => setDraft((before) => ({ ...before, [field.name]: text }))}
        />
      ))}
      {offer !== undefined && (
        <Field
          label="Sent by (may be left out)"
          hint="You, or the Safe for which you sign, where it is left empty."
        >
          {(attributes) => (
            <Input
              {...attributes}
              className="font-mono"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
          )}
        </Field>
      )}
      <div className="flex justify-end">
        <Button size="small" disabled={category === "" || offer === undefined} onClick={add}>
          Add
        </Button>
      </div>
    </fieldset>
  );
}
