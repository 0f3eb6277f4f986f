import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, serverNow } from "../../api/client.ts";
import { useManagedVaults } from "../../api/permissions.ts";
import { useVaultName } from "../../parts/vault-name.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field, Input, Segmented, Select } from "../../ui/form/field.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { toast } from "../../ui/toast.tsx";
import { CATEGORIES, type Category, categoryName, isOfAlerts } from "./queries.ts";

const SPANS = { "1h": 3600, "4h": 4 * 3600, "24h": 86_400, "7d": 7 * 86_400 } as const;
type Span = keyof typeof SPANS | "until";

interface SilenceDialogProps {
  /** What it begins with; all of it can be changed. */
  vault?: string | undefined;
  category?: Category | undefined;
  isOpen: boolean;
  onClose(): void;
}

/** Silences a vault, or one category of it, until an end. */
export function SilenceDialog({ isOpen, onClose, ...initial }: SilenceDialogProps) {
  return (
    <Dialog
      title="Silence alerts"
      description="They are still watched and listed, but no notices are sent. For alerts that still fire when the silence ends, notices are sent then."
      isOpen={isOpen}
      onClose={onClose}
    >
      <SilenceForm {...initial} onClose={onClose} />
    </Dialog>
  );
}

function SilenceForm({ vault, category, onClose }: Omit<SilenceDialogProps, "isOpen">) {
  const managed = useManagedVaults();
  const nameOf = useVaultName();
  const queries = useQueryClient();
  const [vaultId, setVaultId] = useState(vault ?? managed[0] ?? "");
  const [of, setOf] = useState<Category | "">(category ?? "");
  const [span, setSpan] = useState<Span>("1h");
  const [until, setUntil] = useState("");
  const [reason, setReason] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const [chain = "", address = ""] = vaultId.split(":");
      const endsAt = span === "until" ? `${until}:00Z` : inSeconds(SPANS[span]);
      return call("POST /api/v1/silences", {
        body: {
          chain_id: Number(chain),
          vault_address: address,
          ...(of && { category: of }),
          ends_at: endsAt,
          reason: reason.trim(),
        },
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ predicate: isOfAlerts });
      toast({ tone: "good", title: "Silenced", detail: nameOf(vaultId) });
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Vault" error={faultAt(error, "/vault_address")}>
          {(field) => (
            <Select {...field} value={vaultId} onChange={(event) => setVaultId(event.target.value)}>
              {managed.map((id) => (
                <option key={id} value={id}>
                  {nameOf(id)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Category">
          {(field) => (
            <Select {...field} value={of} onChange={(event) => setOf(event.target.value as Category | "")}>
              <option value="">Every category</option>
              {CATEGORIES.map((one) => (
                <option key={one} value={one}>
                  {categoryName(one)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <Segmented<Span>
          label="How long"
          value={span}
          options={[
            ["1h", "1 h"],
            ["4h", "4 h"],
            ["24h", "24 h"],
            ["7d", "7 d"],
            ["until", "Until …"],
          ]}
          onChange={setSpan}
        />
        {span === "until" && (
          <Field label="Until, in UTC" error={faultAt(error, "/ends_at")}>
            {(field) => (
              <Input
                {...field}
                type="datetime-local"
                required
                value={until}
                onChange={(event) => setUntil(event.target.value)}
              />
            )}
          </Field>
        )}
      </div>
      <Field label="Reason" hint="It is written to the audit log." error={faultAt(error, "/reason")}>
        {(field) => (
          <Input
            {...field}
            required
            maxLength={500}
            placeholder="Maintenance of the oracle's keepers"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isPending} isIncomplete={vaultId === ""}>
        Silence
      </FormButtons>
    </form>
  );
}

function inSeconds(seconds: number): string {
  return new Date(serverNow() + seconds * 1000).toISOString();
}
