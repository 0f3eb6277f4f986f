import { Link } from "@tanstack/react-router";
import { count } from "../../format/amount.ts";
import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import { VaultName } from "../../parts/vault-name.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Time } from "../../ui/time.tsx";
import type { Intent } from "./queries.ts";
import { StateBadge } from "./state.tsx";

export const INTENT_COLUMNS: readonly Column<Intent>[] = [
  {
    id: "intent",
    header: "Intent",
    cell: (intent) => (
      <div className="min-w-0 py-0.5">
        <Link
          to="/intents/$intentId"
          params={{ intentId: intent.intent_id }}
          className="font-medium hover:text-accent hover:underline"
        >
          {intent.action === null ? "Intent" : words(intent.action)}
        </Link>
        <p className="truncate font-mono text-2xs text-ink-3">{intent.intent_id}</p>
      </div>
    ),
  },
  { id: "state", header: "State", cell: ({ state }) => <StateBadge state={state} /> },
  {
    id: "vault",
    header: "Vault",
    from: "sm",
    cell: ({ chain_id, vault_address }) => <VaultName chainId={chain_id} address={vault_address} />,
  },
  {
    id: "strategy",
    header: "Strategy",
    from: "lg",
    cell: ({ strategy_id }) => <span className="text-ink-2">{strategy_id ?? "–"}</span>,
  },
  {
    id: "error",
    header: "Error",
    from: "md",
    cell: ({ error_code, error_message }) =>
      error_code === null && error_message === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <span data-tip={error_message ?? undefined} className="text-critical">
          {error_code ?? "unnamed"}
        </span>
      ),
  },
  {
    id: "fills",
    header: "Fills",
    align: "right",
    from: "sm",
    cell: ({ fills_count }) => <span className="num">{count(fills_count)}</span>,
  },
  {
    id: "took",
    header: "Took",
    align: "right",
    from: "lg",
    cell: ({ created_at, terminal_at }) =>
      terminal_at === null ? (
        <span className="text-ink-3">under way</span>
      ) : (
        <span className="num">{tookOf(created_at, terminal_at)}</span>
      ),
  },
  {
    id: "created",
    header: "Created",
    align: "right",
    cell: ({ created_at }) => <Time at={created_at} exact="hover" />,
  },
];

/** "340 ms", "12 s", "1 min 3 s". */
export function tookOf(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 1000 ? `${Math.max(0, ms)} ms` : duration(Math.round(ms / 1000));
}
