// The mail that asks an address whether it wants alerts. Nothing in it is of a user's making but the address itself and a wallet's digits.

import { escapeHtml } from "../notice/text.ts";
import type { MailMessage } from "../providers/provider.ts";
import type { AskedAddress } from "../store/mail-addresses.ts";

export const CONFIRM_PATH = "/confirm-address";

export interface ConfirmationContext {
  publicUrl: string;
  from: string;
  token: string;
  deliveryId: string;
}

/** Who asks, in words. */
export function nameOf(owner: string): string {
  const [first = "", wallet] = owner.split(":");
  return wallet === undefined ? `The wallet ${first}` : `The contract ${wallet} on chain ${first}`;
}

export function confirmationMail(
  { address, owner }: AskedAddress,
  { publicUrl, from, token, deliveryId }: ConfirmationContext,
): MailMessage {
  const { host } = new URL(publicUrl);
  const link = `${publicUrl}${CONFIRM_PATH}/${token}`;
  const asked = `${nameOf(owner)} asks ${host} to send alerts about vaults to ${address}.`;
  const how = "Nothing is sent unless you confirm it on this page, within three days:";
  const otherwise = "If you do not know of this, do nothing.";
  return {
    kind: "mail",
    from,
    to: [address],
    subject: `Confirm that alerts of ${host} may be sent to you`,
    messageId: `<${deliveryId}@${/@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "vaultops.invalid"}>`,
    text: `${[asked, "", how, link, "", otherwise].join("\n")}\n`,
    html: `<!doctype html><html><body><p>${escapeHtml(asked)}</p><p>${how}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p><p>${otherwise}</p></body></html>\n`,
  };
}
