// PagerDuty, by its Events API v2: one event for each notice, the same dedup_key from trigger to resolve.
import { Type } from "typebox";
import { headlineOf, type Notice, tell } from "../notice/notice.ts";
import { cut } from "../notice/text.ts";
import { boundedDetails } from "./details.ts";
import { baseUrl, region, secretText } from "./fields.ts";
import { baseOf, jsonMessage, judgeRefusal, type Provider } from "./provider.ts";

const HOSTS = { us: "https://events.pagerduty.com", eu: "https://events.eu.pagerduty.com" } as const;
const MAX_SUMMARY = 1024;
const MAX_FIELD = 255;

export const pagerduty: Provider = {
  provider: "pagerduty",
  title: "PagerDuty",
  configSchema: Type.Object(
    {
      routing_key: secretText("Integration key", "The key of an Events API v2 integration, 32 characters.", {
        pattern: "^[A-Za-z0-9]{32}$",
      }),
      region: region(),
      base_url: baseUrl(HOSTS.us),
    },
    { additionalProperties: false },
  ),
  secrets: ["routing_key"],
  isGrouping: false,
  // A resolve under another routing key than its trigger's is dropped by PagerDuty.
  isBoundToTrigger: true,
  minIntervalMs: 0,
  build([notice], config) {
    const base = baseOf(config, HOSTS[config.region === "eu" ? "eu" : "us"]);
    return jsonMessage(`${base}/v2/enqueue`, eventOf(notice as Notice, config.routing_key as string));
  },
  judge(answer) {
    if (answer.status === 202) return { kind: "delivered" };
    if (answer.status >= 200 && answer.status < 300)
      return { kind: "retry", reason: `answered ${answer.status} instead of 202` };
    return judgeRefusal(answer);
  },
};

function eventOf(notice: Notice, routingKey: string) {
  const { alert, form } = notice;
  const told = tell(notice);
  const isOver = form === "resolved" || form === "withdrawn";
  const common = {
    routing_key: routingKey,
    dedup_key: alert.id,
    event_action: isOver ? "resolve" : "trigger",
  };
  if (isOver) return common;
  return {
    ...common,
    client: "VaultOps",
    client_url: alert.console_url,
    links: told.links.map(({ text, url }) => ({ href: url, text })),
    payload: {
      summary: cut(headlineOf(told), MAX_SUMMARY),
      source: cut(told.facts.find(({ name }) => name === "Vault")?.value ?? "VaultOps", MAX_FIELD),
      severity: form === "test" ? "info" : alert.severity,
      timestamp: alert.started_at,
      component: cut(told.vault === "" ? "VaultOps" : told.vault, MAX_FIELD),
      group: told.chain === "" ? "VaultOps" : cut(told.chain, MAX_FIELD),
      class: alert.category,
      custom_details: {
        ...(told.text === "" ? {} : { message: told.text }),
        ...Object.fromEntries(told.facts.map(({ name, value }) => [name.toLowerCase(), value])),
        ...boundedDetails(alert.details),
      },
    },
  };
}
