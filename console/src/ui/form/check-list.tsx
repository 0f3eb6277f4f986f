import { cx } from "../class-names.ts";

interface CheckListProps<T extends string> {
  legend: string;
  options: readonly T[];
  nameOf(option: T): string;
  chosen: readonly T[];
  onChoose(chosen: T[]): void;
  className?: string;
}

/** A choice of any of a few dozen things, all in sight. */
export function CheckList<T extends string>(props: CheckListProps<T>) {
  const { legend, options, nameOf, chosen, onChoose, className } = props;
  return (
    <fieldset className="w-full min-w-0">
      <legend className="mb-1 text-xs font-medium text-ink-2">{legend}</legend>
      <div className={cx("grid grid-cols-1 gap-x-4 xs:grid-cols-2", className)}>
        {options.map((option) => (
          <label key={option} className="flex min-h-7 min-w-0 items-center gap-2 rounded px-1 hover:bg-hover">
            <input
              type="checkbox"
              className="size-3.5 shrink-0 accent-[var(--accent-solid)]"
              checked={chosen.includes(option)}
              onChange={(event) =>
                onChoose(
                  options.filter((one) => (one === option ? event.target.checked : chosen.includes(one))),
                )
              }
            />
            <span className="truncate">{nameOf(option)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
