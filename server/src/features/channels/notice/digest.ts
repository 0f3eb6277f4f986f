// Many notices as one message that can be read: grouped by what happened and how bad it is, the worst first, each group with its
// vaults, and where the room ends with how many more there are. What a few alerts say of one vault is one incident of it: the vault stands
// above, and each cause with its own words below.
//
// Guarantee: whatever the notices hold, the lines returned fit the limits asked for, and every notice is either shown or counted.
import type { AlertCategory } from "../../../monitors/categories.ts";
import { categoryName } from "../../../monitors/categories.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { type Notice, type Told, tell } from "./notice.ts";
import { cleanLine, cut } from "./text.ts";

/** A piece of a line. The text is raw: whoever renders it escapes it. */
export interface Span {
  text: string;
  isBold?: boolean;
  url?: string;
}
export type Line = Span[];

export interface Limits {
  /** Length of a line as it will be sent, its end included. */
  measure(line: Line): number;
  groupMax: number;
  totalMax: number;
  maxGroups: number;
}

export interface Digest {
  /** `12 alerts: 9 critical, 2 warning, 1 resolved`. */
  title: string;
  icon: string;
  tone: Told["tone"];
  groups: { tone: Told["tone"]; lines: Line[] }[];
  /** What could not be shown at all, in one line. */
  rest: Line | null;
}

const ORDER = ["🔴", "🟠", "🔵", "🔕", "🔗", "🔔", "↩️", "✅"];

/** `url`: where the whole stands. */
export function digest(notices: readonly Notice[], url: string, limits: Limits): Digest {
  const all = notices.map(tell);
  const vault = incidentOf(all);
  const groups = vault === null ? groupsOf(all) : causesOf(all);
  const rest = (count: number): Line => [
    { text: `… and ${count} more alerts: ` },
    { text: "open them all", url },
  ];
  let room = limits.totalMax - limits.measure(rest(notices.length));
  const shown: { group: Group; lines: Line[]; used: number; members: number }[] = [];
  for (const group of groups) {
    const head = headOf(group);
    const first = memberOf(group, 0);
    const more = limits.measure(moreOf(group.told.length, url));
    const used = [...head, first].reduce((sum, line) => sum + limits.measure(line), more);
    if (shown.length === limits.maxGroups || used > room || used > limits.groupMax) continue;
    shown.push({ group, lines: [...head, first], used, members: 1 });
    room -= used;
  }
  // Every group gets one more line in turn for as long as there is room.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const entry of shown) {
      if (entry.members === entry.group.told.length) continue;
      const line = memberOf(entry.group, entry.members);
      const length = limits.measure(line);
      if (length > room || entry.used + length > limits.groupMax) continue;
      entry.lines.push(line);
      entry.used += length;
      entry.members += 1;
      room -= length;
      isGrowing = true;
    }
  }
  const hidden = notices.length - shown.reduce((sum, { group }) => sum + group.told.length, 0);
  return {
    title: `${vault === null ? "" : `${vault}: `}${titleOf(groups, notices.length)}`,
    icon: groups[0]?.icon ?? "",
    tone: groups[0]?.tone ?? "neutral",
    groups: shown.map(({ group, lines, members }) => ({
      tone: group.tone,
      lines: members < group.told.length ? [...lines, moreOf(group.told.length - members, url)] : lines,
    })),
    rest: hidden === 0 ? null : rest(hidden),
  };
}

interface Group {
  /** One cause of an incident that has its vault in the title. */
  isCause?: boolean;
  category: AlertCategory;
  icon: string;
  word: string;
  tone: Told["tone"];
  /** What happened, where all say the same. */
  title: string | null;
  told: Told[];
}

/** Of more than these a vault's alerts are grouped as those of a storm. */
const MAX_CAUSES = 10;

/** The vault that all are about, as it is called; null: they are many, or about several. */
function incidentOf(told: readonly Told[]): string | null {
  const [first, ...others] = told;
  if (first === undefined || told.length > MAX_CAUSES || first.vault === "") return null;
  const isSame = ({ notice: { alert } }: Told) =>
    alert.chain_id === first.notice.alert.chain_id &&
    alert.vault_address === first.notice.alert.vault_address;
  return others.every(isSame) ? first.vault : null;
}

function causesOf(told: readonly Told[]): Group[] {
  return told
    .map((one) => ({ ...groupOf(one), isCause: true, told: [one] }))
    .sort((a, b) => ORDER.indexOf(a.icon) - ORDER.indexOf(b.icon));
}

function groupOf({ notice, icon, word, tone, title }: Told): Group {
  return { category: notice.alert.category, icon, word, tone, title, told: [] };
}

function groupsOf(told: readonly Told[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of told) {
    const { category } = one.notice.alert;
    const key = `${one.word} ${category}`;
    const group = groups.get(key) ?? groupOf(one);
    if (group.title !== one.title) group.title = null;
    group.told.push(one);
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (a, b) => ORDER.indexOf(a.icon) - ORDER.indexOf(b.icon) || b.told.length - a.told.length,
  );
}

function headOf(group: Group): Line[] {
  const count = group.told.length > 1 ? ` (${group.told.length})` : "";
  const title = group.title ?? categoryName(group.category);
  const [only] = group.told as [Told];
  const step = only.facts.find(({ name }) => name === "What to do")?.value;
  const text = group.told.length === 1 ? cut(cleanLine(only.text), group.isCause ? 600 : 300) : "";
  return [
    [{ text: `${group.icon} ` }, { text: `${group.word}: ${title}${count}`, isBold: true }],
    ...(text === "" ? [] : [[{ text }]]),
    ...(step === undefined ? [] : [[{ text: `What to do: ${step}` }]]),
  ];
}

/** Of more than these the vaults are worth more room than the transactions. */
const FEW = 3;

function memberOf(group: Group, index: number): Line {
  const { notice, vault, title } = group.told[index] as Told;
  const what = group.title === null ? `${title} · ` : "";
  const since = readableTime(notice.alert.started_at);
  const name = group.isCause ? "open the alert" : vault === "" ? "the service" : vault;
  return [
    { text: `• ${what}` },
    { text: name, url: notice.alert.console_url },
    { text: ` since ${since}` },
    ...(notice.alert.transaction_url === null || group.told.length > FEW
      ? []
      : [{ text: " · " }, { text: "transaction", url: notice.alert.transaction_url }]),
  ];
}

function moreOf(count: number, url: string): Line {
  return [{ text: `… and ${count} more: ` }, { text: "all alerts", url }];
}

function titleOf(groups: readonly Group[], total: number): string {
  const words = new Map<string, number>();
  for (const { word, told } of groups) words.set(word, (words.get(word) ?? 0) + told.length);
  const parts = [...words].map(([word, count]) => `${count} ${word.toLowerCase()}`);
  return `${total} alerts: ${parts.join(", ")}`;
}
