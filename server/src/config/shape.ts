// The configuration's schema as plain JSON Schema, for code that walks it: reading variables, finding secrets, drawing the
// reference page.

export interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  discriminator?: { propertyName: string };
  "x-secret"?: boolean;
  /** Of a secret: what its file holds counts from the next start on. */
  "x-restart"?: boolean;
}

/** The schema of a key, or of the file that holds a secret key's value; null when there is none. */
export function shapeAt(schema: Schema, key: string): Schema | null {
  const own = schema.properties?.[key];
  if (own !== undefined) return own;
  const secret = key.endsWith("_file") ? schema.properties?.[key.slice(0, -"_file".length)] : undefined;
  return secret?.["x-secret"] === true ? SECRET_FILE : null;
}

const SECRET_FILE: Schema = { type: "string", description: "A file that holds the value." };
