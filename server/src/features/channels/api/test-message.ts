// The message with which a channel is tested: a delivery like any other, that tells of no alert.
import { randomUUID } from "node:crypto";
import { zeroAddress } from "viem";
import type { NewDelivery } from "../../../delivery/types.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Notice } from "../notice/notice.ts";

export function testDelivery(
  channel: { id: string; name: string },
  alertsUrl: string,
  nowMs: number,
): NewDelivery {
  const id = randomUUID();
  const now = timestampOfMs(nowMs);
  const notice = noticeOfNoVault(id, now, alertsUrl, {
    title: "Test of a notification channel",
    message: `The channel "${channel.name}" works: alerts of the vaults that it is bound to arrive here.`,
  });
  return {
    queue: "channel",
    targetId: channel.id,
    key: `test:${id}`,
    eventId: null,
    eventType: "channel.test",
    chainId: 0,
    vaultAddress: zeroAddress,
    body: JSON.stringify(notice),
    dueAtMs: nowMs,
  };
}

/** A notice that tells of no alert, as a test's is. */
export function noticeOfNoVault(
  id: string,
  now: string,
  consoleUrl: string,
  words: { title: string; message: string },
): Notice {
  return {
    id,
    form: "test",
    at: now,
    chainName: null,
    alert: {
      id,
      category: "system",
      subject: "test",
      severity: "info",
      status: "firing",
      vault_address: zeroAddress,
      chain_id: 0,
      vault_name: null,
      ...words,
      next_step: "",
      details: {},
      console_url: consoleUrl,
      transaction_url: null,
      is_unconfirmed: false,
      is_withdrawn: false,
      is_flapping: false,
      started_at: now,
      last_seen_at: now,
      resolved_at: null,
      acknowledged_at: null,
      acknowledged_by: null,
      last_notice: null,
    },
  };
}
