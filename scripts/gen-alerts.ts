// What is written of the categories of alerts, out of the monitors: the guide's tables between its markers, and the SDK's table, from which
// the console draws its filters and the form of rules.
import { CATEGORIES } from "../server/src/monitors/categories.ts";
import { replaceBetween } from "./gen-between.ts";

export const ALERTS_GUIDE = "docs/guides/alerts.md";
export const SDK_CATEGORIES = "sdk/src/alert-categories.ts";

/** The guide with its tables rebuilt. Throws where it has no place for one. */
export function renderAlertsGuide(page: string): string {
  const watched = CATEGORIES.map(
    ({ category, subject, fires }) => `| \`${category}\` | ${subject} | ${fires} |`,
  );
  const rules = CATEGORIES.flatMap(({ category, fields }) =>
    (fields ?? []).map(
      (field) =>
        `| \`${category}.${field.key}\` | \`${JSON.stringify(field.default)}\` | ${field.description} |`,
    ),
  );
  const withWatched = replaceBetween(
    page,
    "watched",
    ["| Category | Subject | Fires when |", "| --- | --- | --- |", ...watched].join("\n"),
  );
  return replaceBetween(
    withWatched,
    "rules",
    ["| Rule | Default | Meaning |", "| --- | --- | --- |", ...rules].join("\n"),
  );
}

export function renderSdkCategories(): string {
  const table = CATEGORIES.map(({ category, name, description, fields }) => ({
    category,
    name,
    description,
    fields,
  }));
  return `// Generated from server/src/monitors by \`npm run gen\`. Do not edit.

/** The categories of alerts. \`fields\` are the thresholds of its rule, as a form shows them; null where there is no rule to change. */
export const ALERT_CATEGORIES = ${JSON.stringify(table, null, 2)} as const;
`;
}
