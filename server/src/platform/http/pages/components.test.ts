import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { named } from "../schemas.ts";
import { withComponents } from "./components.ts";

const described = (...schemas: object[]) => {
  const bodies = schemas.map((schema, index) => [`/${index}`, { get: { schema } }]);
  const { paths, components } = withComponents({ paths: Object.fromEntries(bodies) });
  const places = Object.values(paths as Record<string, { get: { schema: object } }>);
  return { schemas: components.schemas, places: places.map(({ get }) => get.schema) };
};
const Price = named("Price", Type.String({ description: "In dollars." }));

describe("withComponents", () => {
  it("puts each named schema once among the components, and references in its places, in one another too", () => {
    const Offer = named("Offer", Type.Object({ price: Price }));
    const { schemas, places } = described(Offer, Type.Array(Offer), Price);
    expect(Object.keys(schemas)).toEqual(["Offer", "Price"]);
    expect(schemas.Offer).toMatchObject({ properties: { price: { $ref: "#/components/schemas/Price" } } });
    expect(places).toEqual([
      { $ref: "#/components/schemas/Offer" },
      { type: "array", items: { $ref: "#/components/schemas/Offer" } },
      { $ref: "#/components/schemas/Price" },
    ]);
  });

  it("keeps beside a reference what is said at its place alone: other words, a default", () => {
    const { schemas, places } = described(Price, Price, { ...Price, description: "The last.", default: "0" });
    expect(schemas.Price).toEqual({ type: "string", description: "In dollars." });
    expect(places[0]).toEqual({ $ref: "#/components/schemas/Price" });
    expect(places[2]).toEqual({
      $ref: "#/components/schemas/Price",
      description: "The last.",
      default: "0",
    });
  });

  it("refuses two schemas that differ under one name", () => {
    expect(() => described(Price, named("Price", Type.Integer()))).toThrow(/two schemas are named Price/);
  });

  it("takes no title of several words for a name, nor a member or an example that is called title", () => {
    const member = Type.Object(
      { title: Type.String(), default: Price },
      { title: "A member's own", examples: [{ title: "Price" }] },
    );
    const { schemas, places } = described(member);
    expect(Object.keys(schemas)).toEqual(["Price"]);
    expect(places[0]).toMatchObject({
      title: "A member's own",
      examples: [{ title: "Price" }],
      properties: { title: { type: "string" }, default: { $ref: "#/components/schemas/Price" } },
    });
  });
});
