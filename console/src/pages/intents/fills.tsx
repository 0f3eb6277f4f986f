import { ArrowRight } from "lucide-react";
import { Transaction } from "../../parts/address.tsx";
import { TokenAmount } from "../../parts/token-amount.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Time } from "../../ui/time.tsx";
import type { Fill } from "./queries.ts";
import { OnchainBadge } from "./state.tsx";

const COLUMNS: readonly Column<Fill>[] = [
  {
    id: "amounts",
    header: "In and out",
    cell: (fill) => (
      <span className="inline-flex flex-wrap items-center gap-1.5">
        <TokenAmount raw={fill.amount_in} token={fill.token_in} chainId={fill.chain_id} />
        <ArrowRight aria-label="for" className="size-3 text-ink-3" />
        <TokenAmount raw={fill.amount_out} token={fill.token_out} chainId={fill.chain_id} />
      </span>
    ),
  },
  { id: "onchain", header: "On the chain", cell: (fill) => <OnchainBadge fill={fill} /> },
  {
    id: "venue",
    header: "Venue",
    from: "md",
    cell: ({ venue }) => <span className="text-ink-2">{venue ?? "–"}</span>,
  },
  {
    id: "tx",
    header: "Transaction",
    cell: (fill) => <Transaction value={fill.tx_hash} chainId={fill.chain_id} />,
  },
  {
    id: "block",
    header: "Block",
    align: "right",
    from: "md",
    cell: ({ block_number }) => <span className="num text-ink-2">{block_number ?? "–"}</span>,
  },
  {
    id: "time",
    header: "Filled",
    align: "right",
    from: "sm",
    cell: ({ fill_time }) => <Time at={fill_time} exact="hover" />,
  },
];

export function FillList({ fills }: { fills: readonly Fill[] }) {
  return <DataTable caption="Fills" columns={COLUMNS} rows={fills} rowKey={({ fill_id }) => fill_id} />;
}
