// Opsgenie, by its Alert API: one alert for each of ours, told apart by its alias. Atlassian ends Opsgenie in April 2027.
import { Type } from "typebox";
import { headlineOf, type Notice, tell } from "../notice/notice.ts";
import { cut } from "../notice/text.ts";
import { boundedDetails } from "./details.ts";
import { baseUrl, region, secretText } from "./fields.ts";
import { baseOf, type HttpMessage, jsonMessage, judgeRefusal, type Provider } from "./provider.ts";

const HOSTS = { us: "https://api.opsgenie.com", eu: "https://api.eu.opsgenie.com" } as const;
const MAX_MESSAGE = 130;
const MAX_DESCRIPTION = 15_000;
const MAX_ENTITY = 512;
const MAX_TAG = 50;

export const opsgenie: Provider = {
  provider: "opsgenie",
  title: "Opsgenie (ends in April 2027)",
  configSchema: Type.Object(
    {
      api_key: secretText(
        "API key",
        "The key of an API integration. Atlassian retires Opsgenie in April 2027; choose another channel for what is to last.",
        { pattern: "^[A-Za-z0-9-]{20,64}$" },
      ),
      region: region(),
      base_url: baseUrl(HOSTS.us),
    },
    { additionalProperties: false },
  ),
  secrets: ["api_key"],
  isGrouping: false,
  // The alert to be closed stands in the account of the key that opened it.
  isBoundToTrigger: true,
  minIntervalMs: 0,
  build([notice], config) {
    const base = baseOf(config, HOSTS[config.region === "eu" ? "eu" : "us"]);
    const headers = { authorization: `GenieKey ${config.api_key}` };
    const { form, alert } = notice as Notice;
    const at = (what: string) =>
      `${base}/v2/alerts/${encodeURIComponent(alert.id)}/${what}?identifierType=alias`;
    if (form === "resolved" || form === "withdrawn")
      return jsonMessage(at("close"), { source: "VaultOps", note: closingOf(notice as Notice) }, headers);
    const told = alertOf(notice as Notice);
    const opening = jsonMessage(`${base}/v2/alerts`, told, headers);
    if (form !== "update") return opening;
    // An alert that is open already counts another under its alias, and keeps its priority and words.
    const change = (what: "priority" | "message" | "description"): HttpMessage => ({
      ...jsonMessage(at(what), { [what]: told[what] }, headers),
      method: "PUT",
    });
    return { ...opening, more: [change("priority"), change("message"), change("description")] };
  },
  judge(answer) {
    if (answer.status === 202) return { kind: "delivered" };
    if (answer.status >= 200 && answer.status < 300)
      return { kind: "retry", reason: `answered ${answer.status} instead of 202` };
    return judgeRefusal(answer);
  },
};

const PRIORITIES = { critical: "P1", warning: "P3", info: "P5" } as const;

function alertOf(notice: Notice) {
  const { alert, form } = notice;
  const told = tell(notice);
  const facts = told.facts.map(({ name, value }) => `${name}: ${value}`);
  const links = told.links.map(({ text, url }) => `${text}: ${url}`);
  return {
    message: cut(headlineOf(told), MAX_MESSAGE),
    alias: alert.id,
    description: cut([headlineOf(told), told.text, ...facts, ...links].join("\n"), MAX_DESCRIPTION),
    tags: ["vaultops", alert.category, alert.severity].map((tag) => cut(tag, MAX_TAG)),
    details: boundedDetails(alert.details),
    entity: cut(told.facts.find(({ name }) => name === "Vault")?.value ?? "VaultOps", MAX_ENTITY),
    source: "VaultOps",
    priority: form === "test" ? PRIORITIES.info : PRIORITIES[alert.severity],
  };
}

function closingOf(notice: Notice): string {
  const told = tell(notice);
  const facts = told.facts.map(({ name, value }) => `${name}: ${value}`);
  return cut([headlineOf(told), told.text, ...facts].join("\n"), MAX_DESCRIPTION);
}
