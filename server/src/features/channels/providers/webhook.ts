// A webhook of one's own, as a channel: each alert as the event that webhooks get of it, signed by Standard Webhooks.
import { Type } from "typebox";
import { signedHeaders } from "../../../delivery/standard-webhooks.ts";
import type { Notice } from "../notice/notice.ts";
import { SIGNS_ONLY, secretText, secretUrl } from "./fields.ts";
import { judgeRefusal, type Provider, type Verdict } from "./provider.ts";

export const webhook: Provider = {
  provider: "webhook",
  title: "Webhook",
  configSchema: Type.Object(
    {
      url: secretUrl("URL", "Where each alert is posted as JSON."),
      secret: secretText(
        "Signing secret",
        "whsec_ and 24 to 64 random bytes in base64; every message is signed with it (Standard Webhooks).",
        { pattern: "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$", [SIGNS_ONLY]: true },
      ),
    },
    { additionalProperties: false },
  ),
  secrets: ["url", "secret"],
  isGrouping: false,
  isBoundToTrigger: false,
  minIntervalMs: 0,
  build([notice], config, { nowSeconds, messageId }) {
    const body = JSON.stringify(eventOf(notice as Notice, `evt_${messageId}`));
    const signed = signedHeaders({
      id: `evt_${messageId}`,
      timestampSeconds: nowSeconds,
      body,
      secrets: [config.secret as string],
    });
    return {
      kind: "http",
      url: config.url as string,
      headers: { "content-type": "application/json; charset=utf-8", ...signed },
      body,
    };
  },
  judge(answer): Verdict {
    if (answer.status >= 200 && answer.status < 300) return { kind: "delivered" };
    if (answer.status === 410) return { kind: "gone", reason: "answered 410" };
    const verdict = judgeRefusal(answer);
    // Whatever else one's own endpoint answers may be a fault of the moment.
    return verdict.kind === "retry" ? verdict : { kind: "retry", reason: `answered ${answer.status}` };
  },
};

const EVENT_TYPES = {
  firing: "alert.firing",
  update: "alert.firing",
  resolved: "alert.resolved",
  withdrawn: "alert.resolved",
  // Neither is told to a program: an answer to an alert concerns those who read of it.
  silenced: "webhook.test",
  link: "webhook.test",
  test: "webhook.test",
} as const;

function eventOf(notice: Notice, eventId: string) {
  const { alert, form, at } = notice;
  return {
    event_id: eventId,
    event_type: EVENT_TYPES[form],
    timestamp: at,
    vault_address: alert.vault_address,
    chain_id: alert.chain_id,
    data: form === "test" ? { message: alert.message } : alert,
  };
}
