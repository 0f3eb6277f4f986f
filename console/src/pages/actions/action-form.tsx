// The form of an action, drawn from the JSON Schema of its parameters. It prepares, and leads to what that would do.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ApiError } from "@vaultops/sdk/client";
import { useState } from "react";
import type { Offer, VaultPlace } from "../../api/actions.ts";
import { call } from "../../api/client.ts";
import {
  type Draft,
  type FieldFault,
  fieldsOf,
  parametersOf,
  type Units,
} from "../../parts/action-fields.ts";
import { ParameterField } from "../../parts/parameter-field.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/form/field.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { Panel } from "../../ui/panel.tsx";
import { preparedQuery, recentQuery } from "./queries.ts";

interface Sender {
  from: string;
  nonce: string;
}

export function ActionForm({ offer, place, units }: { offer: Offer; place: VaultPlace; units: Units }) {
  const fields = fieldsOf(offer.parameters, units);
  const [draft, setDraft] = useState<Draft>({});
  const [sender, setSender] = useState<Sender>({ from: "", nonce: "" });
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (parameters: Record<string, unknown>) =>
      call("POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions", {
        path: place,
        body: {
          action: offer.action,
          parameters,
          ...(sender.from.trim() !== "" && { from: sender.from.trim() }),
          ...(sender.nonce.trim() !== "" && { safe_nonce: sender.nonce.trim() }),
        },
      }),
    onSuccess: async (prepared) => {
      queries.setQueryData(preparedQuery(place, prepared.id).queryKey, prepared);
      void queries.invalidateQueries({ queryKey: recentQuery(place).queryKey });
      await navigate({
        to: "/vaults/$chainId/$address/actions/$actionId",
        params: { chainId: place.chain_id, address: place.vault, actionId: prepared.id },
      });
    },
  });
  const submit = () => {
    const read = parametersOf(fields, draft);
    setFaults("faults" in read ? read.faults : []);
    if ("parameters" in read) mutate(read.parameters);
  };
  const faultOf = (name: string) =>
    faults.find((fault) => fault.name === name)?.message ??
    faultAt(error, `parameters.${name}`) ??
    faultAt(error, `/parameters/${name}`);
  return (
    <Panel title={offer.title}>
      <form
        aria-label={offer.title}
        noValidate
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p className="text-ink-2">{offer.description}</p>
        {offer.why_not !== null && <p className="text-warning">{offer.why_not}</p>}
        {fields.map((field) => (
          <ParameterField
            key={field.name}
            field={field}
            text={draft[field.name] ?? ""}
            error={faultOf(field.name)}
            onChange={(text) => setDraft((before) => ({ ...before, [field.name]: text }))}
          />
        ))}
        <details>
          <summary className="cursor-pointer text-ink-2">Who sends it</summary>
          <div className="mt-2 grid gap-x-4 gap-y-2.5 sm:grid-cols-2">
            <Field
              label="Sent by"
              hint="You, or the Safe for which you sign, where it is left empty."
              error={faultAt(error, "/from")}
            >
              {(attributes) => (
                <Input
                  {...attributes}
                  className="font-mono"
                  value={sender.from}
                  onChange={(event) => setSender({ ...sender, from: event.target.value })}
                />
              )}
            </Field>
            <Field
              label="Nonce of the Safe's transaction"
              hint="With it, the hashes that owners compare are shown."
              error={faultAt(error, "/safe_nonce")}
            >
              {(attributes) => (
                <Input
                  {...attributes}
                  inputMode="numeric"
                  value={sender.nonce}
                  onChange={(event) => setSender({ ...sender, nonce: event.target.value })}
                />
              )}
            </Field>
          </div>
        </details>
        <FormError error={error} />
        {isRefused(error) && (
          <p className="text-xs text-ink-3">Nothing was prepared, and nothing was signed.</p>
        )}
        <div className="flex items-center justify-end gap-2">
          <Button type="submit" look="primary" isBusy={isPending}>
            Prepare
          </Button>
        </div>
      </form>
    </Panel>
  );
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 409;
