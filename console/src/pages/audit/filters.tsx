import { X } from "lucide-react";
import { Popover } from "radix-ui";
import { useEffect, useState } from "react";
import { words } from "../../format/words.ts";
import { OwnVaultSelect } from "../../parts/vault-select.tsx";
import { Button } from "../../ui/button.tsx";
import { Input, Select } from "../../ui/form/field.tsx";
import { TimeInput } from "../../ui/form/time-input.tsx";
import { ACTION_GROUPS, type ActionType } from "./actions.ts";
import { actionsOf, type Search } from "./queries.ts";

interface FiltersProps {
  search: Search;
  onChange(next: Partial<Search>): void;
}

/** What of the log is shown; all of it stands in the address. */
export function Filters({ search, onChange }: FiltersProps) {
  const { entry: _, ...filter } = search;
  return (
    <search className="flex flex-wrap items-center gap-2 border-b p-2.5">
      <OwnVaultSelect chosen={search.vault} onChoose={(vault) => onChange({ vault })} />
      <ActionPicker
        chosen={actionsOf(search)}
        onChoose={(actions) => onChange({ action: actions.join(",") || undefined })}
      />
      <ActorInput actor={search.actor} onChoose={(actor) => onChange({ actor })} />
      <TimeInput label="From" value={search.from} onChoose={(from) => onChange({ from })} />
      <TimeInput label="To" value={search.to} onChoose={(to) => onChange({ to })} />
      <Select
        aria-label="Which time"
        className="!w-auto"
        value={search.time ?? "entry"}
        onChange={(event) => onChange({ time: event.target.value === "block" ? "block" : undefined })}
      >
        <option value="entry">by entry time</option>
        <option value="block">by block time</option>
      </Select>
      {Object.keys(filter).length > 0 && (
        <Button
          look="quiet"
          icon={X}
          onClick={() =>
            onChange({
              vault: undefined,
              action: undefined,
              actor: undefined,
              from: undefined,
              to: undefined,
              time: undefined,
            })
          }
        >
          Clear
        </Button>
      )}
    </search>
  );
}

function ActionPicker({
  chosen,
  onChoose,
}: {
  chosen: readonly ActionType[];
  onChoose(actions: ActionType[]): void;
}) {
  const toggle = (actions: readonly ActionType[], isOn: boolean) =>
    onChoose(
      isOn ? [...new Set([...chosen, ...actions])] : chosen.filter((action) => !actions.includes(action)),
    );
  const [only] = chosen;
  const shown =
    only === undefined ? "Any kind" : chosen.length === 1 ? words(only) : `${chosen.length} kinds`;
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button aria-label={`Kinds of entries: ${shown}`}>{shown}</Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={12}
          aria-label="Kinds of entries"
          className="z-30 max-h-[min(28rem,70vh)] w-[min(36rem,calc(100vw-1.5rem))] columns-1 gap-6 overflow-y-auto rounded-lg border border-line-strong bg-panel p-3.5 shadow-[var(--shadow)] sm:columns-2"
        >
          {Object.entries(ACTION_GROUPS).map(([group, actions]) => (
            <fieldset key={group} className="mb-3 break-inside-avoid">
              <legend className="mb-1 text-2xs font-medium text-ink-3">{group}</legend>
              {actions.map((action) => (
                <label key={action} className="flex min-h-6 items-center gap-2 rounded px-1 hover:bg-hover">
                  <input
                    type="checkbox"
                    className="accent-[var(--accent-solid)]"
                    checked={chosen.includes(action)}
                    onChange={(event) => toggle([action], event.target.checked)}
                  />
                  {words(action)}
                </label>
              ))}
            </fieldset>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ActorInput({
  actor,
  onChoose,
}: {
  actor: string | undefined;
  onChoose(actor: string | undefined): void;
}) {
  const [text, setText] = useState(actor ?? "");
  useEffect(() => setText(actor ?? ""), [actor]);
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(text.trim());
  return (
    <Input
      aria-label="Actor's address"
      aria-invalid={text.trim() !== "" && !isAddress ? true : undefined}
      placeholder="Actor 0x…"
      spellCheck={false}
      className="!w-40 font-mono text-xs"
      value={text}
      onChange={(event) => {
        const next = event.target.value;
        setText(next);
        const trimmed = next.trim();
        if (trimmed === "") onChoose(undefined);
        else if (/^0x[0-9a-fA-F]{40}$/.test(trimmed)) onChoose(trimmed);
      }}
    />
  );
}
