// Inputs, in the console's look. Each needs a label: `<Field>` puts one above, `aria-label` stands in where there is no room.
import { type ComponentProps, type ReactNode, useId } from "react";
import { cx } from "../class-names.ts";

const BOX =
  "h-8 w-full rounded-md border border-line-strong bg-canvas px-2.5 text-sm text-ink placeholder:text-ink-3 hover:border-ink-3 disabled:opacity-60 aria-invalid:border-critical";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={cx(BOX, className)} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} className={cx(BOX, "h-auto py-2 font-mono", className)} />;
}

export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select {...rest} className={cx(BOX, "pr-7", className)} />;
}

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** What is wrong with it, in the service's words. */
  error?: string | null | undefined;
  children(attributes: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }): ReactNode;
}

/** A label, an input (its attributes are handed in), a hint, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium text-ink-2">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": hint || error ? noteId : undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {(error || hint) && (
        <p id={noteId} className={cx("text-xs", error ? "text-critical" : "text-ink-3")}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange(value: T): void;
}

/** A choice of a few, all in sight. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <fieldset className="inline-flex h-8 shrink-0 items-center rounded-md border border-line-strong bg-canvas p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChange(option)}
          className={cx(
            "h-full rounded px-2.5 text-xs font-medium",
            option === value ? "bg-raised text-ink" : "text-ink-2 hover:text-ink",
          )}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
