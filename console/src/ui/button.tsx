import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { cx } from "./class-names.ts";

type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "bg-accent-solid text-white hover:brightness-110 border-transparent",
  plain: "bg-panel text-ink border-line-strong hover:bg-hover",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-critical-solid text-white border-transparent hover:brightness-110",
};

export interface ButtonProps extends ComponentProps<"button"> {
  look?: Look;
  size?: "small" | "normal";
  icon?: LucideIcon;
  /** Shows that what it began is under way, and takes no second click. */
  isBusy?: boolean;
}

/** A button. Without children it is an icon and needs an `aria-label`. */
export function Button({
  look = "plain",
  size = "normal",
  icon: Icon,
  isBusy,
  children,
  className,
  ...rest
}: ButtonProps) {
  const Shown = isBusy ? LoaderCircle : Icon;
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={cx(
        "inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors",
        "disabled:pointer-events-none disabled:opacity-60",
        size === "small" ? "h-7 px-2 text-xs" : "h-8 px-3 text-sm",
        children === undefined && (size === "small" ? "w-7 px-0" : "w-8 px-0"),
        LOOKS[look],
        className,
      )}
    >
      {Shown && <Shown aria-hidden className={cx("size-3.5 shrink-0", isBusy && "animate-spin")} />}
      {children}
    </button>
  );
}
