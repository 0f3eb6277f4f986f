// When a vault's alerts fire: its own thresholds over the configuration's. Managers change them, others read them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { call, POLL_MS, polled } from "../../api/client.ts";
import { useMayManage } from "../../api/permissions.ts";
import { duration } from "../../format/time.ts";
import { Address } from "../../parts/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field, Input, Select } from "../../ui/form/field.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { DispatchFields } from "./dispatch-fields.tsx";
import {
  type DispatchSetting,
  type Draft,
  draftOf,
  RULES,
  type RuleForm,
  type Rules,
  rulesOf,
  textOf,
  type Unit,
} from "./rule-fields.ts";
import { RulesPreview } from "./rules-preview.tsx";

interface VaultId {
  chain_id: number;
  address: string;
}

const rulesQuery = ({ chain_id, address }: VaultId) =>
  polled(
    "GET /api/v1/vaults/{chain_id}/{vault_address}/alert-rules",
    { path: { chain_id, vault_address: address } },
    POLL_MS.slow,
  );

/** Opens the thresholds of a vault. */
export function RulesButton({ id, size }: { id: VaultId; size?: "small" }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={SlidersHorizontal} {...(size && { size })} onClick={() => setIsOpen(true)}>
        Rules
      </Button>
      <Dialog
        title="Alert rules"
        description="When this vault's alerts fire. What is left empty follows the service's configuration."
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      >
        <LoadedForm id={id} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function LoadedForm({ id, onClose }: { id: VaultId; onClose(): void }) {
  const query = useQuery(rulesQuery(id));
  return (
    <Loaded query={query} rows={7}>
      {(rules) => <RulesForm id={id} rules={rules} onClose={onClose} />}
    </Loaded>
  );
}

function RulesForm({ id, rules, onClose }: { id: VaultId; rules: Rules; onClose(): void }) {
  const mayChange = useMayManage()({ chain_id: id.chain_id, vault_address: id.address });
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => draftOf(rules.own_rules));
  /** null: what stands. */
  const [dispatch, setDispatch] = useState<DispatchSetting[] | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call("PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules", {
        path: { chain_id: id.chain_id, vault_address: id.address },
        body: { rules: rulesOf(draft), ...(dispatch !== null && { dispatch }) },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries(rulesQuery(id));
      toast({ tone: "good", title: "The rules are set", detail: "They apply from now on." });
      onClose();
    },
  });
  const set = (path: string) => (text: string) => setDraft((before) => ({ ...before, [path]: text }));
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <fieldset disabled={!mayChange} className="flex min-w-0 flex-col divide-y">
        <legend className="sr-only">Thresholds</legend>
        {RULES.map((rule) => (
          <CategoryFields
            key={rule.category}
            rule={rule}
            rules={rules}
            draft={draft}
            set={set}
            error={error}
          />
        ))}
      </fieldset>
      {rules.updated_by !== null && (
        <p className="flex flex-wrap items-center gap-1 text-xs text-ink-3">
          Last set <Time at={rules.updated_at} /> by
          <Address value={rules.updated_by} chainId={id.chain_id} label="who set the rules" />
        </p>
      )}
      <DispatchFields
        id={id}
        rules={rules}
        settings={dispatch ?? rules.dispatch}
        error={error}
        onChange={setDispatch}
      />
      <RulesPreview id={id} rules={() => rulesOf(draft)} />
      <FormError error={error} />
      <div className="flex items-center justify-end gap-2">
        {mayChange ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" isBusy={isPending}>
              Save
            </Button>
          </>
        ) : (
          <p className="text-xs text-ink-3">The vault's managers set them.</p>
        )}
      </div>
    </form>
  );
}

interface CategoryFieldsProps {
  rule: RuleForm;
  rules: Rules;
  draft: Draft;
  set(path: string): (text: string) => void;
  error: unknown;
}

function CategoryFields({ rule: { category, name, fields }, rules, draft, set, error }: CategoryFieldsProps) {
  const path = `${category}/is_enabled`;
  const isOn = rules.rules[category].is_enabled;
  return (
    <section aria-label={name} className="py-3 first:pt-0">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium">{name}</h3>
        <Select
          aria-label={`Watch ${name.toLowerCase()}`}
          className="!w-auto"
          value={draft[path] ?? ""}
          onChange={(event) => set(path)(event.target.value)}
        >
          <option value="">{isOn || draft[path] ? "As configured" : "As configured (off)"}</option>
          <option value="true">Watched</option>
          <option value="false">Not watched</option>
        </Select>
      </div>
      <div className="mt-1.5 grid gap-x-4 gap-y-2.5 sm:grid-cols-2">
        {fields.map(({ key, label, unit }) => {
          const fieldPath = `${category}/${key}`;
          const effective = (rules.rules[category] as unknown as Record<string, unknown>)[key];
          const text = draft[fieldPath] ?? "";
          return (
            <Field
              key={key}
              label={`${label}${UNIT_WORDS[unit]}`}
              hint={hintOf(unit, text || textOf(unit, effective))}
              error={faultAt(error, `/rules/${fieldPath}`)}
            >
              {(attributes) => (
                <Input
                  {...attributes}
                  inputMode={INPUT_MODES[unit] ?? "numeric"}
                  pattern={PATTERNS[unit] ?? "\\d+"}
                  className="num"
                  placeholder={textOf(unit, effective)}
                  value={text}
                  onChange={(event) => set(fieldPath)(event.target.value)}
                />
              )}
            </Field>
          );
        })}
      </div>
    </section>
  );
}

const UNIT_WORDS: Record<Unit, string> = {
  seconds: ", s",
  share: ", %",
  share_or_off: ", % or off",
  count: "",
  raw: ", raw units",
  usd: ", USD",
  addresses: "",
  fractions: ", id: %",
};

const INPUT_MODES: Partial<Record<Unit, "decimal" | "text">> = {
  share: "decimal",
  share_or_off: "text",
  addresses: "text",
  fractions: "text",
};

const PATTERNS: Partial<Record<Unit, string>> = {
  share: "\\d{1,3}(\\.\\d+)?",
  share_or_off: "[Oo]ff|\\d{1,3}(\\.\\d+)?",
  fractions: "(\\S+\\s*:\\s*\\d{1,3}(\\.\\d+)?[\\s,]*)+",
  addresses: "(0x[0-9a-fA-F]{40}[\\s,]*)+",
};

function hintOf(unit: Unit, text: string): string | undefined {
  return unit === "seconds" && /^\d{1,9}$/.test(text) ? `= ${duration(Number(text))}` : undefined;
}
