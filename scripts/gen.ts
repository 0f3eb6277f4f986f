// npm run gen: writes everything in the repository that is made from something else. `--check` writes nothing and fails when a
// file is not current; a test does the same.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { renderConfigReference } from "../server/src/config/reference.ts";
import { renderErrorsPage } from "../server/src/platform/errors.ts";
import { describeFeatures } from "../server/src/service/features.ts";

import { ALERTS_GUIDE, renderAlertsGuide, renderSdkCategories, SDK_CATEGORIES } from "./gen-alerts.ts";
import { dashboardFiles } from "./gen-dashboards.ts";
import { engineEventFiles } from "./gen-engine-events.ts";
import { descriptorFiles } from "./gen-erc7730.ts";
import { METRICS_PAGE, renderMetricsPage } from "./gen-metrics.ts";
import { renderNotices } from "./gen-notices.ts";
import { generateSchema } from "./gen-schema.ts";
import { renderSdkSchema } from "./gen-sdk-schema.ts";

const root = join(import.meta.dirname, "..");

/** Path (from the root) and content of every generated file, the schema of the database aside, which needs one. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const openApi = await describeFeatures();
  return new Map([
    ["docs/errors.md", renderErrorsPage()],
    ["docs/configuration.md", renderConfigReference()],
    [METRICS_PAGE, renderMetricsPage(readIfAny(METRICS_PAGE) ?? "")],
    [ALERTS_GUIDE, renderAlertsGuide(readIfAny(ALERTS_GUIDE) ?? "")],
    [SDK_CATEGORIES, renderSdkCategories()],
    ["THIRD-PARTY-NOTICES", renderNotices()],
    ["openapi.json", openApi],
    ["sdk/src/schema.ts", await renderSdkSchema(openApi)],
    ...dashboardFiles(),
    ...descriptorFiles(),
    ...(await engineEventFiles()),
  ]);
}

/** The paths whose content is not what would be generated now. */
export function outdated(files: Map<string, string>): string[] {
  return [...files].filter(([path, content]) => readIfAny(path) !== content).map(([path]) => path);
}

if (import.meta.main) {
  const check = process.argv.includes("--check");
  const files = await generatedFiles();
  const stale = outdated(files);
  if (check && stale.length > 0) {
    console.error(`Not current: ${stale.join(", ")}. Run \`npm run gen\` and commit what it writes.`);
    process.exit(1);
  }
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path) as string);
    console.log(`wrote ${path}`);
  }
  await generateSchema({ check });
}

function readIfAny(path: string): string | null {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return null;
  }
}
