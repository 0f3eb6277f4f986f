// The settings of an endpoint, to make one and to change one.
import { useState } from "react";
import { useManagedVaults } from "../../api/permissions.ts";
import { useVaultName } from "../../parts/vault-name.tsx";
import { CheckList } from "../../ui/form/check-list.tsx";
import { Field, Input, Segmented, Select } from "../../ui/form/field.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import {
  type Endpoint,
  type EndpointSettings,
  EVENT_GROUPS,
  EVENT_TYPES,
  type EventType,
} from "./queries.ts";

interface EndpointFormProps {
  /** What it begins with; none for a new one. */
  endpoint?: Endpoint;
  action: string;
  isBusy: boolean;
  error: unknown;
  onSubmit(settings: EndpointSettings & { url: string }): void;
  onClose(): void;
}

export function EndpointForm({ endpoint, action, isBusy, error, onSubmit, onClose }: EndpointFormProps) {
  const managed = useManagedVaults();
  const nameOf = useVaultName();
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [whichTypes, setWhichTypes] = useState<"all" | "some">(
    endpoint && !endpoint.is_all_event_types ? "some" : "all",
  );
  const [types, setTypes] = useState<EventType[]>(
    endpoint?.event_types ?? EVENT_TYPES.filter((type) => type !== "alert.dispatch"),
  );
  const [whichVaults, setWhichVaults] = useState<"all" | "some">(
    endpoint && !endpoint.is_all_vaults ? "some" : "all",
  );
  const [vaults, setVaults] = useState<string[]>(endpoint?.vaults ?? managed);
  const [schedule, setSchedule] = useState(endpoint?.retry_schedule ?? "standard");
  const [rate, setRate] = useState(endpoint?.rate_limit ? String(endpoint.rate_limit) : "");
  const isEmpty =
    (whichTypes === "some" && types.length === 0) || (whichVaults === "some" && vaults.length === 0);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({
          url: url.trim(),
          description: description.trim(),
          event_types: whichTypes === "all" ? null : types,
          vaults: whichVaults === "all" ? null : vaults,
          retry_schedule: schedule,
          rate_limit: rate.trim() === "" ? null : Number(rate),
        });
      }}
    >
      <Field
        label="URL"
        hint="Events are posted here as JSON, signed by Standard Webhooks."
        error={faultAt(error, "/url")}
      >
        {(field) => (
          <Input
            {...field}
            type="url"
            required
            maxLength={2048}
            placeholder="https://hooks.example.org/vaultops"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Field label="Description (optional)" error={faultAt(error, "/description")}>
        {(field) => (
          <Input
            {...field}
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-col items-start gap-2 [&>fieldset]:max-w-full">
        <Segmented<"all" | "some">
          label="Which events"
          value={whichTypes}
          options={[
            ["all", "All events"],
            ["some", "Only some"],
          ]}
          onChange={setWhichTypes}
        />
        {whichTypes === "some" &&
          Object.entries(EVENT_GROUPS).map(([group, members]) => (
            <CheckList<EventType>
              key={group}
              legend={group}
              options={members}
              nameOf={(type) => type}
              chosen={types.filter((type) => (members as readonly EventType[]).includes(type))}
              onChoose={(chosen) =>
                setTypes([
                  ...types.filter((type) => !(members as readonly EventType[]).includes(type)),
                  ...chosen,
                ])
              }
            />
          ))}
      </div>
      <div className="flex flex-col items-start gap-2 [&>fieldset]:max-w-full">
        <Segmented<"all" | "some">
          label="Of which vaults"
          value={whichVaults}
          options={[
            ["all", "Every vault that you manage"],
            ["some", "Only some"],
          ]}
          onChange={setWhichVaults}
        />
        {whichVaults === "some" && (
          <CheckList
            legend="Vaults"
            options={[...new Set([...managed, ...vaults])]}
            nameOf={nameOf}
            chosen={vaults}
            onChoose={setVaults}
          />
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Retries"
          hint={
            schedule === "standard"
              ? "Five, within half a minute."
              : "Ten, the last after more than eight hours."
          }
        >
          {(field) => (
            <Select
              {...field}
              value={schedule}
              onChange={(event) => setSchedule(event.target.value as Endpoint["retry_schedule"])}
            >
              <option value="standard">Standard</option>
              <option value="extended">Extended</option>
            </Select>
          )}
        </Field>
        <Field label="Sends a second at most (optional)" error={faultAt(error, "/rate_limit")}>
          {(field) => (
            <Input
              {...field}
              inputMode="numeric"
              pattern="\d{1,4}"
              placeholder="no limit"
              value={rate}
              onChange={(event) => setRate(event.target.value)}
            />
          )}
        </Field>
      </div>
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isBusy} isIncomplete={isEmpty}>
        {action}
      </FormButtons>
    </form>
  );
}
