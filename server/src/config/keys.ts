// How a key of the configuration is declared: the schema's own constructors, so that each key gives its form, its default and the
// sentence that an operator reads, and nothing unknown passes.
import { type Static, type TProperties, type TSchema, Type } from "typebox";

export const object = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });

/** A section of the file: all its keys have defaults, so it may be left out. */
export const section = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(properties, { additionalProperties: false, default: {}, description });

export const list = <T extends TSchema>(items: T, description: string, minItems = 0) =>
  Type.Array(items, { default: minItems === 0 ? [] : undefined, minItems, description }) as ReturnType<
    typeof Type.Array<T>
  >;

export const text = (form: string, options: object) =>
  Type.Unsafe<string>({ type: "string", [form]: true, ...options });
export const nullableText = (form: string, options: object) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], [form]: true, default: null, ...options });

export const nullableString = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], minLength: 1, default: null, description });

export const port = (fallback: number, description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: fallback,
    description: `${description} 0 means any free one.`,
  });

export const perMinute = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, default: fallback, description });

/** One of several shapes, told apart by the value of one key. */
export function oneOf<const T extends readonly TSchema[]>(tag: string, shapes: T, description: string) {
  return Type.Unsafe<Static<T[number]>>({
    type: "object",
    required: [tag],
    discriminator: { propertyName: tag },
    oneOf: [...shapes],
    description,
  });
}
