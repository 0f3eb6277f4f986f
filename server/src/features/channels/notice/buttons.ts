// The buttons of a message: what can be answered to its alerts, a row for each, and to a wallet that asks to be linked.
import { shortAddress } from "../../../chain/text.ts";
import type { Notice } from "./notice.ts";
import type { ButtonAction } from "./sealed-button.ts";
import { cleanLine, cut } from "./text.ts";

export interface Button {
  action: ButtonAction;
  /** Raw; whoever shows it cuts it to its own limit. */
  text: string;
  value: string;
}

/** Categories that are not silenced from chat: what a vault lost, and who may do what with it. */
const NEVER_SILENCED: readonly string[] = ["governance", "losses"];

export function isSilencedFromChat(category: string): boolean {
  return !NEVER_SILENCED.includes(category);
}

/** Of a message of more alerts than these none has buttons: they are answered in the console. */
const MAX_ALERTS = 5;
const MAX_TITLE = 40;

export function buttonsOf(
  notices: readonly Notice[],
  seal: ((action: ButtonAction, subjectId: string) => string) | undefined,
): Button[][] {
  if (seal === undefined) return [];
  const button = (action: ButtonAction, text: string, id: string) => ({
    action,
    text,
    value: seal(action, id),
  });
  const rows: Button[][] = [];
  const open = openOf(notices);
  for (const { link } of notices) {
    if (link === undefined) continue;
    rows.push([
      button("link", `Link me to ${shortAddress(link.wallet)}`, link.id),
      button("unlink", "Remove my link", link.id),
    ]);
  }
  if (open.length > MAX_ALERTS) return rows;
  for (const { alert } of open) {
    const what = open.length === 1 ? "" : `: ${cut(cleanLine(alert.title), MAX_TITLE)}`;
    rows.push([
      button("acknowledge", `Acknowledge${what}`, alert.id),
      ...(isSilencedFromChat(alert.category)
        ? [button("silence_1h", "Silence 1 h", alert.id), button("silence_8h", "Silence 8 h", alert.id)]
        : []),
    ]);
  }
  return rows;
}

/** The alerts of vaults that fire when the message is read, each once. */
function openOf(notices: readonly Notice[]): Notice[] {
  const open = new Map<string, Notice>();
  for (const notice of notices) {
    const { form, alert } = notice;
    if (form === "firing" || form === "update") {
      if (alert.chain_id !== 0) open.set(alert.id, notice);
    } else if (form === "resolved" || form === "withdrawn") open.delete(alert.id);
  }
  return [...open.values()];
}
