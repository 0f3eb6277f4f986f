import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { words } from "../format/words.ts";
import { Select } from "../ui/form/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Pager } from "../ui/pager.tsx";
import { Panel } from "../ui/panel.tsx";
import { EmptyState } from "../ui/states.tsx";
import { type Delivery, DeliveryList, type DeliveryListProps } from "./deliveries.tsx";
import {
  DELIVERY_PAGE_SIZE,
  DELIVERY_STATUSES,
  type DeliverySearch,
  type DeliveryStatus,
} from "./delivery-search.ts";

interface DeliveryTableProps<T extends Delivery> extends Pick<DeliveryListProps<T>, "actions" | "more"> {
  query: UseQueryResult<{ deliveries: readonly T[]; total: number }>;
  search: DeliverySearch;
  onStatus(status: DeliveryStatus | undefined): void;
  onOffset(offset: number | undefined): void;
  /** Beside the choice of a status. */
  filters?: ReactNode;
  /** Whether one of `filters` narrows the list. */
  isNarrowed?: boolean;
  /** What comes here, said while nothing has. */
  hint: string;
}

/** What was sent to one target in the last 30 days, with every attempt: a page of it, narrowed by status. */
export function DeliveryTable<T extends Delivery>({
  query,
  search: { status, offset = 0 },
  onStatus,
  onOffset,
  filters,
  isNarrowed = false,
  hint,
  ...list
}: DeliveryTableProps<T>) {
  return (
    <Panel
      title="Deliveries"
      isFlush
      aside={
        <search aria-label="Deliveries" className="flex flex-wrap items-center gap-1.5">
          <Select
            aria-label="Status of deliveries"
            className="!h-7 !w-auto text-xs"
            value={status ?? ""}
            onChange={(event) => onStatus((event.target.value || undefined) as DeliveryStatus | undefined)}
          >
            <option value="">Any status</option>
            {DELIVERY_STATUSES.map((each) => (
              <option key={each} value={each}>
                {words(each)}
              </option>
            ))}
          </Select>
          {filters}
        </search>
      }
    >
      <Loaded query={query} rows={5}>
        {({ deliveries, total }) =>
          total === 0 ? (
            <EmptyState title={status || isNarrowed ? "No deliveries match" : "Nothing was sent yet"}>
              {hint} Deliveries are kept for 30 days.
            </EmptyState>
          ) : (
            <>
              <DeliveryList label="Deliveries" deliveries={deliveries} {...list} />
              <Pager
                noun="deliveries"
                offset={offset}
                shown={deliveries.length}
                limit={DELIVERY_PAGE_SIZE}
                total={total}
                onOffset={(next) => onOffset(next || undefined)}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
