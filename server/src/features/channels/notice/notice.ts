// A notice: what one alert has to tell one channel, with all that a message says of it. It is made when the alert changes and kept as
// the delivery's body, so that every attempt tells the same.
import type { Address } from "viem";
import { shortAddress } from "../../../chain/text.ts";
import type { Alert } from "../../../events/alert.ts";
import { categoryName } from "../../../monitors/categories.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { cleanLine, cleanLines, cut, readableDuration } from "./text.ts";

/**
 * `update`: it rose in severity, or is told again. `withdrawn`: the block that it stood on is gone. `silenced`: somebody silenced it from chat.
 * `link`: a wallet asks who of the channel acts for it.
 */
export type NoticeForm = "firing" | "update" | "resolved" | "withdrawn" | "silenced" | "link" | "test";

export interface Notice {
  /** The same through every attempt: what makes the notice one. */
  id: string;
  form: NoticeForm;
  /** When it happened. */
  at: string;
  alert: Alert;
  /** Null where the alert concerns no vault. */
  chainName: string | null;
  /** Of what was escalated: since when nobody took it. */
  unattendedSince?: string;
  /** Of the form `link`. */
  link?: { id: string; wallet: Address };
}

/** Whether it says that the alert fires: only what was told so is told its end. */
export function isFiring({ form }: Pick<Notice, "form">): boolean {
  return form === "firing" || form === "update";
}

/** Whether it says that the alert has ended. */
export function isOver({ form }: Pick<Notice, "form">): boolean {
  return form === "resolved" || form === "withdrawn";
}

/** What a notice says, in words ready to be escaped and cut. */
export interface Told {
  notice: Notice;
  tone: "critical" | "warning" | "info" | "good" | "neutral";
  icon: string;
  /** `Critical`, `Resolved`, … */
  word: string;
  /** What happened, in one line. */
  title: string;
  /** To which vault, in one line; empty for none. */
  vault: string;
  /** On which chain; empty for none. */
  chain: string;
  /** What happened, in full. */
  text: string;
  /** The rest, by name. */
  facts: { name: string; value: string }[];
  links: { text: string; url: string }[];
}

export function tell(notice: Notice): Told {
  const { alert, form } = notice;
  const vault = vaultOf(notice);
  const isOfAlert = form !== "test" && form !== "link";
  const facts = [
    { name: "Vault", value: vault.long },
    { name: "Severity", value: isOfAlert ? alert.severity : "" },
    { name: isOver(notice) ? "Lasted" : "Since", value: isOfAlert ? sinceOf(notice) : "" },
    { name: "Standing", value: standingOf(notice) },
    { name: "What to do", value: isFiring(notice) ? cut(cleanLine(alert.next_step), 300) : "" },
  ].filter(({ value }) => value !== "");
  return {
    notice,
    ...LOOKS[form === "firing" || form === "update" ? alert.severity : form],
    title: cut(cleanLine(alert.title), 200) || categoryName(alert.category),
    vault: vault.short,
    chain: vault.chain,
    text: cut(cleanLines(alert.message), 2000),
    facts,
    links: [
      { text: isOfAlert ? "Open the alert" : "Open the console", url: alert.console_url },
      ...(alert.transaction_url === null
        ? []
        : [{ text: "Open the transaction", url: alert.transaction_url }]),
    ],
  };
}

/** `Critical: Vault paused · USDC Prime`, for where there is one line only. */
export function headlineOf({ word, title, vault }: Told): string {
  return `${word}: ${title}${vault === "" ? "" : ` · ${vault}`}`;
}

const LOOKS = {
  critical: { tone: "critical", icon: "🔴", word: "Critical" },
  warning: { tone: "warning", icon: "🟠", word: "Warning" },
  info: { tone: "info", icon: "🔵", word: "Info" },
  resolved: { tone: "good", icon: "✅", word: "Resolved" },
  withdrawn: { tone: "neutral", icon: "↩️", word: "Withdrawn" },
  silenced: { tone: "neutral", icon: "🔕", word: "Silenced" },
  link: { tone: "neutral", icon: "🔗", word: "Link" },
  test: { tone: "neutral", icon: "🔔", word: "Test" },
} as const;

function vaultOf({ alert, chainName }: Notice) {
  if (alert.chain_id === 0) return { short: "", long: "", chain: "" };
  const name = cut(cleanLine(alert.vault_name ?? ""), 80);
  const chain = cut(cleanLine(chainName ?? ""), 40) || `chain ${alert.chain_id}`;
  const short = name === "" ? shortAddress(alert.vault_address) : name;
  return { short, long: `${name === "" ? "" : `${name}, `}${alert.vault_address}, ${chain}`, chain };
}

function sinceOf({ alert, form, at }: Notice): string {
  const start = readableTime(alert.started_at);
  if (form !== "resolved" && form !== "withdrawn") return start;
  const end = alert.resolved_at ?? at;
  return `${readableDuration(alert.started_at, end)}, from ${start} to ${readableTime(end)}`;
}

function standingOf({ alert, form, at, unattendedSince }: Notice): string {
  if (form === "withdrawn") return "the block that it was seen in is no longer part of the chain";
  if (!isFiring({ form })) return "";
  const news = alert.last_notice === "severity_raised" ? "it has become worse" : "still firing";
  const words = [
    ...(unattendedSince === undefined
      ? form === "update"
        ? [news]
        : []
      : [`nobody has acknowledged it for ${readableDuration(unattendedSince, at)}`]),
    ...(alert.is_unconfirmed ? ["seen in a block that is not confirmed yet"] : []),
    ...(alert.is_flapping ? ["it comes and goes"] : []),
  ];
  return words.join("; ");
}
