import { Link, type LinkProps } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

/** From a part of a page to the page that has all of it. */
export function MoreLink({ children, ...link }: Pick<LinkProps, "to" | "search"> & { children: ReactNode }) {
  return (
    <Link
      {...link}
      className="inline-flex items-center gap-0.5 whitespace-nowrap text-ink-2 hover:text-accent"
    >
      {children}
      <ChevronRight aria-hidden className="size-3" />
    </Link>
  );
}
