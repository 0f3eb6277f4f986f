import { expect, it } from "vitest";
import { parseDeliverySearch } from "./delivery-search.ts";

it("reads status and place of a page's deliveries from its address, and leaves out what it does not know", () => {
  expect(parseDeliverySearch({ status: "dead", offset: "50" })).toEqual({ status: "dead", offset: 50 });
  expect(parseDeliverySearch({ status: "lost", offset: -25 })).toEqual({});
  expect(parseDeliverySearch({ status: "constructor", offset: 1.5 })).toEqual({});
});
