// How answers are written: by what Fastify's own compiler makes of a route's response schema, compiled with the first answer of its kind.
// Compiling them all took two thirds of a start, and most processes never give most answers. That every schema compiles is held by the test
// that provokes every documented status (test/statuses.db.test.ts).
import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";

const buildSerializers = SerializerSelector();

/** For `schemaController.compilersFactory.buildSerializer`. */
export function buildLazySerializers(...[schemas, options]: Parameters<typeof buildSerializers>) {
  const compile = buildSerializers(schemas, options);
  return (route: Parameters<typeof compile>[0]): ReturnType<typeof compile> => {
    let write: ReturnType<typeof compile> | undefined;
    return (answer: unknown) => {
      write ??= compile(route);
      return write(answer);
    };
  };
}
