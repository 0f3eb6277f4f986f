// The message by which a wallet asks in a channel who of it acts for the wallet: a delivery like any other, that tells of no alert.
import { type Address, zeroAddress } from "viem";
import type { NewDelivery } from "../../../delivery/types.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Notice } from "../notice/notice.ts";
import { noticeOfNoVault } from "./test-message.ts";

export function linkDelivery(
  channelId: string,
  link: { id: string; wallet: Address },
  consoleUrl: string,
  nowMs: number,
): NewDelivery {
  const notice: Notice = {
    ...noticeOfNoVault(link.id, timestampOfMs(nowMs), consoleUrl, {
      title: `The wallet ${link.wallet} asks to be linked`,
      message: `Press the button only if ${link.wallet} is your own wallet and you have just asked for this in the console: what you press here is then done by that wallet. It is shown who pressed, and nothing is linked before the wallet has confirmed it there. The button is good for ten minutes and once.`,
    }),
    form: "link",
    link,
  };
  return {
    queue: "channel",
    targetId: channelId,
    key: `link:${link.id}`,
    eventId: null,
    eventType: "channel.link",
    chainId: 0,
    vaultAddress: zeroAddress,
    body: JSON.stringify(notice),
    dueAtMs: nowMs,
  };
}
