import { expect, it } from "vitest";
import { type Column, sortRows } from "./data-table.tsx";

interface Row {
  name: string;
  value: bigint | null;
}
const columns: Column<Row>[] = [
  { id: "name", header: "", cell: () => null, sortBy: ({ name }) => name },
  { id: "value", header: "", cell: () => null, sortBy: ({ value }) => value },
];
const rows: Row[] = [
  { name: "b", value: 2n ** 200n },
  { name: "a", value: null },
  { name: "c", value: 2n ** 200n + 1n },
];
const names = (id: string, order: "asc" | "desc") =>
  sortRows(rows, columns, { id, order }).map(({ name }) => name);

it("sorts integers beyond what a float can tell apart, and puts what is not known last either way", () => {
  expect(names("value", "asc")).toEqual(["b", "c", "a"]);
  expect(names("value", "desc")).toEqual(["c", "b", "a"]);
});

it("sorts text, and leaves the rows as they are under a column that cannot be sorted", () => {
  expect(names("name", "desc")).toEqual(["c", "b", "a"]);
  expect(names("nothing", "desc")).toEqual(["b", "a", "c"]);
});
