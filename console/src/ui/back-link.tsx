import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";

/** Before a page's title: back to the list that it is of. */
export function BackLink({ to, label }: { to: LinkProps["to"]; label: string }) {
  return (
    <Link
      to={to}
      aria-label={label}
      className="grid size-8 shrink-0 place-items-center rounded-md border text-ink-2 hover:bg-hover"
    >
      <ArrowLeft aria-hidden className="size-4" />
    </Link>
  );
}
