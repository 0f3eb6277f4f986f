// The vaults that a channel is bound to, and which of their alerts it gets.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link2, Settings2, Unlink } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useManagedVaults } from "../../api/permissions.ts";
import { words } from "../../format/words.ts";
import { useVaultName, VaultName } from "../../parts/vault-name.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckList } from "../../ui/form/check-list.tsx";
import { ConfirmByName, Dialog } from "../../ui/form/dialog.tsx";
import { Field, Input, Segmented, Select } from "../../ui/form/field.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { CATEGORIES, type Category, categoryName, SEVERITIES, type Severity } from "../alerts/queries.ts";
import { useBindings, type VaultBinding } from "./bindings.ts";
import { type Channel, isOfChannels } from "./queries.ts";

export function BindingsPanel({ channel }: { channel: Channel }) {
  const bindings = useBindings();
  const managed = useManagedVaults();
  const bound = bindings.of(channel.id);
  const free = managed.filter((id) => !bound.some(({ vaultId }) => vaultId === id));
  const [binding, setBinding] = useState<VaultBinding | "new" | null>(null);
  return (
    <Panel
      title="Bound to"
      aside={
        bindings.isKnown &&
        free.length > 0 && (
          <Button size="small" icon={Link2} onClick={() => setBinding("new")}>
            Bind to a vault
          </Button>
        )
      }
    >
      {!bindings.isKnown ? (
        <Skeleton className="h-9" />
      ) : bound.length === 0 ? (
        <Nothing>None of your vaults. It gets no alert until it is bound to one.</Nothing>
      ) : (
        <ul aria-label="Bindings" className="-my-1 flex flex-col divide-y">
          {bound.map((one) => (
            <OneBinding key={one.vaultId} channel={channel} bound={one} onChange={() => setBinding(one)} />
          ))}
        </ul>
      )}
      <Dialog
        title={binding === "new" || binding === null ? "Bind to a vault" : `Alerts of ${binding.name}`}
        description={`Which alerts ${channel.name} gets.`}
        isOpen={binding !== null}
        onClose={() => setBinding(null)}
      >
        <BindForm
          channel={channel}
          bound={binding === "new" ? null : binding}
          vaultIds={binding === "new" || binding === null ? free : [binding.vaultId]}
          onClose={() => setBinding(null)}
        />
      </Dialog>
    </Panel>
  );
}

function OneBinding({
  channel,
  bound: { vaultId, name, binding },
  onChange,
}: {
  channel: Channel;
  bound: VaultBinding;
  onChange(): void;
}) {
  const queries = useQueryClient();
  const [isUnbinding, setIsUnbinding] = useState(false);
  const place = placeOf(vaultId);
  const settled = () => queries.invalidateQueries({ predicate: isOfChannels });
  const unbind = useMutation({
    mutationFn: () =>
      call("DELETE /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}", {
        path: { ...place, channel_id: channel.id },
      }),
    onSuccess: () => {
      setIsUnbinding(false);
      toast({ tone: "good", title: "Unbound", detail: name });
    },
    onError: (error) => toastError("It was not unbound", error),
    onSettled: settled,
  });
  // To bind it again, as it is, is to confirm it.
  const confirm = useMutation({
    mutationFn: () =>
      call("POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels", {
        path: place,
        body: { channel_id: channel.id },
      }),
    onSuccess: () => toast({ tone: "good", title: "Confirmed", detail: name }),
    onError: (error) => toastError("It was not confirmed", error),
    onSettled: settled,
  });
  const isAll = binding.is_all_categories || binding.categories.length === CATEGORIES.length;
  return (
    <li className="py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <div className="min-w-0">
          <p className="font-medium">
            <VaultName chainId={place.chain_id} address={place.vault_address} />
          </p>
          <p className="text-xs text-ink-2">
            {isAll ? "Every category" : binding.categories.map(categoryName).join(", ")}
            <span className="text-ink-3"> · from {binding.min_severity} up</span>
            {binding.escalate_after_seconds !== null && (
              <span className="text-ink-3">
                {" "}
                · only what nobody takes for {minutesOf(binding.escalate_after_seconds)} min
              </span>
            )}
          </p>
        </div>
        <span className="flex gap-1.5">
          <Button
            size="small"
            icon={Settings2}
            aria-label={`Change the binding to ${name}`}
            data-tip="Change"
            onClick={onChange}
          />
          <Button
            size="small"
            icon={Unlink}
            aria-label={`Unbind from ${name}`}
            data-tip="Unbind"
            onClick={() => setIsUnbinding(true)}
          />
        </span>
      </div>
      {binding.needs_confirmation && (
        <p className="mt-1.5 flex flex-wrap items-center justify-between gap-2 rounded-md bg-warning-wash px-2.5 py-1.5 text-xs text-warning">
          Whoever bound it no longer manages the vault. Alerts still go there.
          <Button size="small" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
            Confirm
          </Button>
        </p>
      )}
      <ConfirmByName
        title="Unbind the channel"
        name={name}
        action="Unbind"
        isOpen={isUnbinding}
        isBusy={unbind.isPending}
        onClose={() => setIsUnbinding(false)}
        onConfirm={() => unbind.mutate()}
      >
        {channel.name} gets no more alerts of this vault. Those that it was told of are still resolved there.
      </ConfirmByName>
    </li>
  );
}

interface BindFormProps {
  channel: Channel;
  /** What there is already; null to bind again. */
  bound: VaultBinding | null;
  vaultIds: readonly string[];
  onClose(): void;
}

function BindForm({ channel, bound, vaultIds, onClose }: BindFormProps) {
  const queries = useQueryClient();
  const nameOf = useVaultName();
  const [vaultId, setVaultId] = useState(vaultIds[0] ?? "");
  const [categories, setCategories] = useState<Category[]>(bound?.binding.categories ?? [...CATEGORIES]);
  const [severity, setSeverity] = useState<Severity>(bound?.binding.min_severity ?? "info");
  const [waits, setWaits] = useState(minutesOf(bound?.binding.escalate_after_seconds ?? null));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call("POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels", {
        path: placeOf(vaultId),
        body: {
          channel_id: channel.id,
          // All there are is all that come, too.
          categories: categories.length === CATEGORIES.length ? null : categories,
          min_severity: severity,
          escalate_after_seconds: waits.trim() === "" ? null : Math.round(Number(waits) * 60),
        },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ predicate: isOfChannels });
      toast({ tone: "good", title: bound === null ? "Bound" : "Changed", detail: nameOf(vaultId) });
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      {bound === null && (
        <Field label="Vault">
          {(field) => (
            <Select {...field} value={vaultId} onChange={(event) => setVaultId(event.target.value)}>
              {vaultIds.map((id) => (
                <option key={id} value={id}>
                  {nameOf(id)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <CheckList<Category>
        legend="Categories"
        options={CATEGORIES}
        nameOf={categoryName}
        chosen={categories}
        onChoose={setCategories}
      />
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-xs font-medium text-ink-2">From this severity up</span>
        <Segmented<Severity>
          label="Minimum severity"
          value={severity}
          options={[...SEVERITIES].reverse().map((one) => [one, words(one)] as const)}
          onChange={setSeverity}
        />
      </div>
      <Field
        label="Escalate after (minutes, optional)"
        hint="The channel is told only of what nobody acknowledged or silenced for so long. Empty: at once."
        error={faultAt(error, "/escalate_after_seconds")}
      >
        {(field) => (
          <Input
            {...field}
            inputMode="decimal"
            pattern="[0-9]+([.][0-9]+)?"
            value={waits}
            onChange={(event) => setWaits(event.target.value)}
          />
        )}
      </Field>
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isPending} isIncomplete={categories.length === 0}>
        {bound === null ? "Bind" : "Save"}
      </FormButtons>
    </form>
  );
}

/** As the form has it; empty for none. */
function minutesOf(seconds: number | null): string {
  return seconds === null ? "" : String(seconds / 60);
}

function placeOf(vaultId: string): { chain_id: number; vault_address: string } {
  const [chain = "", address = ""] = vaultId.split(":");
  return { chain_id: Number(chain), vault_address: address };
}
