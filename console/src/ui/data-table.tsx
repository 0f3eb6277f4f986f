// The one table: dense, sortable by keyboard, its rows drawn only while in sight once there are many.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import { memo, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { cx } from "./class-names.ts";

export interface Column<Row> {
  id: string;
  header: ReactNode;
  cell(row: Row): ReactNode;
  align?: "right";
  /** What the rows are sorted by under this column; without it the column cannot be sorted. Null and undefined always stand last. */
  sortBy?(row: Row): number | bigint | string | null | undefined;
  /** Left out below this width. */
  from?: "sm" | "md" | "lg" | "xl";
  className?: string;
}

export interface SortState {
  id: string;
  order: "asc" | "desc";
}

interface DataTableProps<Row> {
  /** What the table holds, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  sort?: SortState;
  onSort?(sort: SortState): void;
  /** Marks a row that needs attention, or is new. */
  rowTone?(row: Row): "critical" | "warning" | "accent" | undefined;
  onRowClick?(row: Row): void;
  /** Shown in place of rows when there are none. */
  empty?: ReactNode;
}

const FROM = {
  sm: "hidden sm:table-cell",
  md: "hidden md:table-cell",
  lg: "hidden lg:table-cell",
  xl: "hidden xl:table-cell",
} as const;
const ROW_PX = 37;
const VIRTUAL_FROM = 120;

/** A row's link should be a real one in its first cell; `onRowClick` only widens it to the row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, sort, onSort, empty } = props;
  const sorted = sort === undefined ? rows : sortRows(rows, columns, sort);
  if (rows.length === 0 && empty) return empty;
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        {sorted.length >= VIRTUAL_FROM ? (
          <LongBody {...props} rows={sorted} />
        ) : (
          <tbody>
            {sorted.map((row) => (
              <BodyRow key={rowKey(row)} row={row} {...props} />
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

/** Many rows: only those near the window exist, between two spacers. */
function LongBody<Row>(props: DataTableProps<Row>) {
  const { rows, columns, rowKey } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (index) => rowKey(rows[index] as Row),
  });
  const items = virtual.getVirtualItems();
  const above = (items[0]?.start ?? offset) - offset;
  const below = virtual.getTotalSize() + offset - (items.at(-1)?.end ?? offset);
  return (
    <tbody ref={body}>
      <Spacer px={above} span={columns.length} />
      {items.map(({ index, key }) => (
        <BodyRow
          key={key}
          index={index}
          measure={virtual.measureElement}
          row={rows[index] as Row}
          {...props}
        />
      ))}
      <Spacer px={below} span={columns.length} />
    </tbody>
  );
}

function Spacer({ px, span }: { px: number; span: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height: px }} />
    </tr>
  );
}

function HeaderCell<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: SortState | undefined;
  onSort: ((sort: SortState) => void) | undefined;
}) {
  const isSorted = sort?.id === column.id;
  const Arrow = sort?.order === "asc" ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.order === "asc" ? "ascending" : "descending") : undefined}
      className={cx(
        "h-8 border-b px-2 text-2xs sm:px-3.5 font-medium whitespace-nowrap text-ink-3 first:pl-3.5 last:pr-3.5",
        column.align === "right" && "text-right",
        column.from && FROM[column.from],
      )}
    >
      {column.sortBy && onSort ? (
        <button
          type="button"
          className={cx("inline-flex items-center gap-1 hover:text-ink", isSorted && "text-ink")}
          onClick={() => onSort({ id: column.id, order: isSorted && sort.order === "desc" ? "asc" : "desc" })}
        >
          {column.header}
          <Arrow aria-hidden className={cx("size-3", !isSorted && "invisible")} />
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

const ROW_TONES = {
  critical: "shadow-[inset_2px_0_0_var(--critical)]",
  warning: "shadow-[inset_2px_0_0_var(--warning)]",
  accent: "shadow-[inset_2px_0_0_var(--accent)]",
} as const;

type BodyRowProps<Row> = Pick<DataTableProps<Row>, "columns" | "rowTone" | "onRowClick"> & {
  row: Row;
  index?: number;
  measure?: (element: Element | null) => void;
};

/** Redrawn only when something of it changes: scrolling a long table draws the rows that come into sight and no others. */
const BodyRow = memo(OneRow) as typeof OneRow;

function OneRow<Row>({ row, columns, rowTone, onRowClick, index, measure }: BodyRowProps<Row>) {
  const tone = rowTone?.(row);
  return (
    <tr
      ref={measure}
      data-index={index}
      className={cx(
        "border-b last:border-b-0 hover:bg-hover",
        onRowClick && "cursor-pointer",
        tone && ROW_TONES[tone],
      )}
      onClick={(event) => {
        // A click meant for a link, a button or a selection stays theirs.
        if ((event.target as Element).closest("a, button, input") || getSelection()?.toString()) return;
        onRowClick?.(row);
      }}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={cx(
            "h-9 px-2 py-1 first:pl-3.5 last:pr-3.5 sm:px-3.5",
            column.align === "right" && "text-right",
            column.from && FROM[column.from],
            column.className,
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The rows in the order of a column; those without a value last in either direction, equal ones as they stood. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { id, order }: SortState,
): Row[] {
  const sortBy = columns.find((column) => column.id === id)?.sortBy;
  if (!sortBy) return [...rows];
  const sign = order === "asc" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [left, right] = [sortBy(a) ?? null, sortBy(b) ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string") return sign * left.localeCompare(String(right), "en");
    return sign * (left < (right as number) ? -1 : left > (right as number) ? 1 : 0);
  });
}
