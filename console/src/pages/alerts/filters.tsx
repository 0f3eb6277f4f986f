import { X } from "lucide-react";
import { words } from "../../format/words.ts";
import { OwnVaultSelect } from "../../parts/vault-select.tsx";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/form/field.tsx";
import { CATEGORIES, categoryName, SEVERITIES, type Search } from "./queries.ts";

interface FiltersProps {
  search: Search;
  onChange(next: Partial<Search>): void;
}

/** Which alerts are shown; all of it stands in the address. */
export function Filters({ search, onChange }: FiltersProps) {
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2">
      <OwnVaultSelect chosen={search.vault} onChoose={(vault) => onChange({ vault })} />
      <Choice
        label="Category"
        any="Any category"
        options={CATEGORIES}
        nameOf={categoryName}
        chosen={search.category}
        onChoose={(category) => onChange({ category })}
      />
      <Choice
        label="Severity"
        any="Any severity"
        options={SEVERITIES}
        nameOf={words}
        chosen={search.severity}
        onChoose={(severity) => onChange({ severity })}
      />
      {(search.vault || search.category || search.severity) && (
        <Button
          look="quiet"
          icon={X}
          onClick={() => onChange({ vault: undefined, category: undefined, severity: undefined })}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  any: string;
  options: readonly T[];
  nameOf(option: string): string;
  chosen: T | undefined;
  onChoose(value: T | undefined): void;
}

function Choice<T extends string>({ label, any, options, nameOf, chosen, onChoose }: ChoiceProps<T>) {
  return (
    <Select
      aria-label={label}
      className="!w-auto"
      value={chosen ?? ""}
      onChange={(event) => onChoose((event.target.value || undefined) as T | undefined)}
    >
      <option value="">{any}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {nameOf(option)}
        </option>
      ))}
    </Select>
  );
}
