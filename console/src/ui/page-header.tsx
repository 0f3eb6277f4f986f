import { type ReactNode, useEffect } from "react";

interface PageHeaderProps {
  /** Also the browser tab's title. */
  title: string;
  /** Before the title: a glyph, a link back. */
  lead?: ReactNode;
  /** Beside the title: badges. */
  badges?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}

/** The head of a page: its one `h1`, what it is about, what can be done. */
export function PageHeader({ title, lead, badges, description, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · VaultOps`;
  }, [title]);
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="flex min-w-0 items-center gap-3">
        {lead}
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-2">
            <h1 className="truncate text-lg leading-6 font-semibold tracking-tight">{title}</h1>
            {badges}
          </div>
          {description && <div className="text-ink-2">{description}</div>}
        </div>
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
