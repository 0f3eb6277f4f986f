// What a description of the API takes from the clients of an older one. Requests may only be taken more freely: what was valid stays
// valid. Answers may only say more: each member stays, with its type. Values may be added to an enumeration, and statuses of refusals.

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  [keyword: string]: unknown;
}
type Content = Record<string, { schema: Schema }>;
interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/** Each fault begins with the route that it concerns. */
export function narrowed(before: Description, today: Description): string[] {
  const resolve = (schema: Schema, document: Description): Schema =>
    schema.$ref === undefined
      ? schema
      : (document.components.schemas[schema.$ref.split("/").at(-1) as string] as Schema);

  /** Whether what `was` admits is admitted by `is`: `was` and `is` swap places for answers. */
  function refused(was: Schema, is: Schema, place: string): string[] {
    const alternatives = was.anyOf ?? was.oneOf;
    if (alternatives) return alternatives.flatMap((one, index) => refused(one, is, `${place}(${index})`));
    const among = is.anyOf ?? is.oneOf;
    if (among) {
      const tries = among.map((one) => refused(was, one, place));
      return tries.find((faults) => faults.length === 0) ?? shortest(tries);
    }
    const faults: string[] = [];
    const types = typesOf(is);
    const missing =
      types === null ? [] : (typesOf(was) ?? ["anything"]).filter((type) => !admits(types, type));
    if (missing.length > 0) faults.push(`${place} takes no ${missing.join(", ")} any more`);
    const values = valuesOf(is);
    if (values !== null) {
      const lost = (valuesOf(was) ?? ["any other"]).filter((value) => !values.includes(value));
      if (lost.length > 0) faults.push(`${place} takes no ${lost.join(", ")} any more`);
    }
    for (const keyword of ["maxLength", "maximum", "maxItems", "maxProperties"])
      if (Number(is[keyword] ?? Infinity) < Number(was[keyword] ?? Infinity))
        faults.push(`${place}: ${keyword} was ${was[keyword]}, is ${is[keyword]}`);
    for (const keyword of ["minLength", "minimum", "minItems", "exclusiveMinimum"])
      if (Number(is[keyword] ?? -Infinity) > Number(was[keyword] ?? -Infinity))
        faults.push(`${place}: ${keyword} was ${was[keyword]}, is ${is[keyword]}`);
    for (const keyword of ["pattern", "format"])
      if (is[keyword] !== undefined && is[keyword] !== was[keyword])
        faults.push(`${place}: ${keyword} is another`);
    for (const name of is.required ?? [])
      if (!(was.required ?? []).includes(name)) faults.push(`${place}.${name} has become required`);
    for (const [name, member] of Object.entries(was.properties ?? {})) {
      const now = is.properties?.[name];
      if (now !== undefined) faults.push(...refused(member, now, `${place}.${name}`));
      else if (is.additionalProperties === false) faults.push(`${place}.${name} is not taken any more`);
    }
    if (was.items && is.items) faults.push(...refused(was.items, is.items, `${place}[]`));
    return faults;
  }

  /** Whether an answer still holds what it held. */
  function missed(given: Schema, now: Schema, place: string): string[] {
    const [was, is] = [resolve(given, before), resolve(now, today)];
    const alternatives = alternativesOf(is);
    const among = was.anyOf ?? was.oneOf;
    if (alternatives && among === undefined) return alternatives.flatMap((one) => missed(was, one, place));
    if (among) {
      // Each alternative of before is still there; what was added is new.
      return (alternatives ?? [is]).flatMap((one) => {
        const tries = among.map((old) => missed(old, one, place));
        return tries.find((faults) => faults.length === 0) ?? shortest(tries);
      });
    }
    const faults: string[] = [];
    const types = typesOf(was);
    if (types !== null) {
      const others = (typesOf(is) ?? ["anything"]).filter((type) => !admits(types, type));
      if (others.length > 0) faults.push(`${place} was ${types.join(", ")}, may be ${others.join(", ")}`);
    }
    for (const name of was.required ?? [])
      if (!(is.required ?? []).includes(name)) faults.push(`${place}.${name} may be missing`);
    for (const [name, member] of Object.entries(was.properties ?? {})) {
      const today = is.properties?.[name];
      if (today === undefined) faults.push(`${place}.${name} is not described any more`);
      else faults.push(...missed(member, today, `${place}.${name}`));
    }
    if (was.items && is.items) faults.push(...missed(was.items, is.items, `${place}[]`));
    return faults;
  }

  function operation(was: Operation, is: Operation, route: string): string[] {
    const faults: string[] = [];
    for (const parameter of was.parameters ?? []) {
      const now = is.parameters?.find(({ in: at, name }) => at === parameter.in && name === parameter.name);
      if (now === undefined) faults.push(`${route} ?${parameter.name} is not taken any more`);
      else faults.push(...refused(parameter.schema, now.schema, `${route} ?${parameter.name}`));
    }
    for (const { name, required } of is.parameters ?? [])
      if (required && !was.parameters?.some((parameter) => parameter.name === name && parameter.required))
        faults.push(`${route} ?${name} has become required`);
    for (const [type, { schema }] of Object.entries(was.requestBody?.content ?? {})) {
      const now = is.requestBody?.content[type];
      if (now === undefined) faults.push(`${route} takes no ${type} any more`);
      else faults.push(...refused(schema, now.schema, `${route} body`));
    }
    if (is.requestBody?.required && !was.requestBody?.required)
      faults.push(`${route} body has become required`);
    for (const [status, { content = {} }] of Object.entries(was.responses)) {
      if (Number(status) >= 400) continue;
      const now = is.responses[status];
      if (now === undefined) faults.push(`${route} ${status} is not answered any more`);
      for (const [type, { schema }] of Object.entries(content)) {
        const today = now?.content?.[type];
        if (today === undefined) faults.push(`${route} ${status} does not answer ${type} any more`);
        else if (schema && today.schema) faults.push(...missed(schema, today.schema, `${route} ${status}`));
      }
    }
    return faults;
  }

  const faults: string[] = [];
  for (const [path, methods] of Object.entries(before.paths))
    for (const [method, was] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${path}`;
      const is = today.paths[path]?.[method];
      faults.push(...(is === undefined ? [`${route} is gone`] : operation(was, is, route)));
    }
  for (const [type, { post }] of Object.entries(before.webhooks)) {
    const was = post.requestBody?.content["application/json"]?.schema as Schema;
    const is = today.webhooks[type]?.post.requestBody?.content["application/json"]?.schema;
    faults.push(...(is === undefined ? [`webhook ${type} is gone`] : missed(was, is, `webhook ${type}`)));
  }
  return faults;
}

function typesOf({ type }: Schema): string[] | null {
  return type === undefined ? null : [type].flat();
}

function valuesOf(schema: Schema): unknown[] | null {
  return schema.enum ?? ("const" in schema ? [schema.const] : null);
}

/** An integer is a number. */
function admits(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function shortest(tries: string[][]): string[] {
  return tries.reduce((best, faults) => (faults.length < best.length ? faults : best));
}

/** Each with the members that stand beside the alternatives, which hold whichever it is. */
function alternativesOf({ anyOf, oneOf, ...beside }: Schema): Schema[] | undefined {
  const { properties, required } = beside;
  if (properties === undefined) return anyOf ?? oneOf;
  return (anyOf ?? oneOf)?.map((one) => ({
    ...beside,
    ...one,
    properties: { ...properties, ...one.properties },
    required: [...(required ?? []), ...(one.required ?? [])],
  }));
}
