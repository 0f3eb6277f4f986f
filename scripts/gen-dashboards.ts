// Grafana's dashboards in deploy/grafana, out of deploy/dashboards.ts: panels laid in rows, each expression with its legend and unit.
import { DASHBOARDS, type Dashboard, type Panel } from "../deploy/dashboards.ts";

const COLUMNS = 24;
const HEIGHTS = { stat: 4, timeseries: 8 };
const SOURCE = { type: "prometheus", uid: "$source" };

/** Path from the root, and content. */
export function dashboardFiles(): [string, string][] {
  return DASHBOARDS.map((dashboard) => [
    `deploy/grafana/${dashboard.name}.json`,
    `${JSON.stringify(render(dashboard), null, 2)}\n`,
  ]);
}

function render({ name, title, variables = {}, rows }: Dashboard): object {
  let y = 0;
  let id = 0;
  const panels = rows.flatMap((row) => {
    const w = COLUMNS / row.length;
    const h = HEIGHTS[row[0]?.type ?? "timeseries"];
    const laid = row.map((panel, place) => {
      id += 1;
      return { id, gridPos: { x: place * w, y, w, h }, ...renderPanel(panel) };
    });
    y += h;
    return laid;
  });
  return {
    uid: `vaultops-${name}`,
    title,
    tags: ["vaultops"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    timezone: "utc",
    links: [{ type: "dashboards", title: "VaultOps", tags: ["vaultops"], asDropdown: true, keepTime: true }],
    templating: {
      list: [
        { name: "source", label: "Source", type: "datasource", query: "prometheus", current: {}, hide: 0 },
        ...Object.entries(variables).map(([variable, { label, query }]) => ({
          name: variable,
          label,
          type: "query",
          datasource: SOURCE,
          query: { query, refId: variable },
          refresh: 2,
          includeAll: true,
          multi: true,
          allValue: ".*",
          current: { text: "All", value: "$__all" },
        })),
      ],
    },
    annotations: { list: [] },
    panels,
  };
}

function renderPanel({ title, about, type, unit, words, queries }: Panel): object {
  const mappings = words && [
    {
      type: "value",
      options: Object.fromEntries(words.map(({ text, colour }, value) => [value, { text, color: colour }])),
    },
  ];
  return {
    title,
    description: about,
    type,
    datasource: SOURCE,
    targets: Object.entries(queries).map(([legendFormat, expr], place) => ({
      refId: String.fromCharCode(65 + place),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(mappings && { mappings }),
        color: { mode: type === "stat" ? "thresholds" : "palette-classic" },
        ...(type === "timeseries" && {
          min: 0,
          custom: { lineWidth: 1, fillOpacity: 8, showPoints: "never" },
        }),
      },
      overrides: [],
    },
    options:
      type === "stat"
        ? {
            reduceOptions: { calcs: ["lastNotNull"] },
            colorMode: mappings ? "background" : "value",
            graphMode: "none",
          }
        : {
            legend: { displayMode: "list", placement: "bottom" },
            tooltip: { mode: "multi", sort: "desc" },
          },
  };
}
