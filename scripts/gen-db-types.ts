// Writes server/src/platform/db/db.types.ts from a freshly migrated database, so that queries are checked against the
// tables that the migrations really make. Run by `npm run gen`; alone: node scripts/gen-db-types.ts [--check]
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, PostgresDialect } from "kysely";
import {
  ColumnTypeNode,
  PostgresDialect as GeneratorDialect,
  generate,
  IdentifierNode,
  RawExpressionNode,
} from "kysely-codegen";
import pg from "pg";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { createLogger } from "../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../server/src/platform/postgres/postgres.ts";

const TARGET = join(import.meta.dirname, "../server/src/platform/db/db.types.ts");

/**
 * Generates the types, or with `check` only compares them.
 * @throws Error naming the command when `check` finds the committed file out of date
 */
export async function generateDbTypes({ check }: { check: boolean }): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-gen-"));
  const log = createLogger({ level: "error" });
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log, isDurable: false });
    try {
      await migrate({ ownerUrl: postgres.ownerUrl, log });
      const text = await dbTypesOf(postgres.ownerUrl);
      const committed = await readFile(TARGET, "utf8").catch(() => "");
      if (text === committed) return;
      if (check) throw new Error("server/src/platform/db/db.types.ts is out of date: run npm run gen");
      await writeFile(TARGET, text);
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The types of the database at `url`, as they belong into the file. */
export async function dbTypesOf(url: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  // A connection may still be closing when the server ends.
  pool.on("error", () => {});
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const text = await generate({ db, dialect: dialect(), outFile: null });
    return text.replace(GENERATOR_HEADER, HEADER);
  } finally {
    await db.destroy();
  }
}

const GENERATOR_HEADER = /^\/\*\*[\s\S]*?\*\/\n/;
const HEADER = `// The tables as the migrations make them. Generated: npm run gen, after every change under server/migrations.
// Values are typed as platform/db/postgres-values.ts delivers them.
`;

/** The kinds of values that platform/db/postgres-values.ts makes, in place of the generator's own. */
function dialect(): GeneratorDialect {
  const generator = new GeneratorDialect({ dateParser: "string" });
  const { definitions, scalars } = generator.adapter;
  definitions.Int8 = column("number", "number | bigint | string");
  definitions.Numeric = column("bigint", "bigint | string | number");
  definitions.Timestamp = column("string", "string | Date");
  scalars.interval = new IdentifierNode("string");
  return generator;
}

function column(selected: string, written: string): ColumnTypeNode {
  return new ColumnTypeNode(
    new RawExpressionNode(selected),
    new RawExpressionNode(written),
    new RawExpressionNode(written),
  );
}

if (import.meta.main) await generateDbTypes({ check: process.argv.includes("--check") });
