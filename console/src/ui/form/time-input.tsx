import { useId } from "react";
import { Input } from "./field.tsx";

interface TimeInputProps {
  label: string;
  /** RFC 3339, UTC. */
  value: string | undefined;
  onChoose(value: string | undefined): void;
}

/** A moment in UTC, to the minute, in a row of filters. */
export function TimeInput({ label, value, onChoose }: TimeInputProps) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-1.5" data-tip={`${label}, in UTC`}>
      <label htmlFor={id} className="text-xs text-ink-3">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        className="!w-auto"
        value={value?.slice(0, 16) ?? ""}
        onChange={(event) => onChoose(event.target.value ? `${event.target.value}:00Z` : undefined)}
      />
    </span>
  );
}
