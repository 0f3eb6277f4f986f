// Words of the API as people read them.

/** "pps_update" → "PPS update", "primary_manager" → "Primary manager". */
export function words(value: string): string {
  const spaced = value
    .replace(/_/g, " ")
    .replace(/\b(pps|apy|tvl|id)\b/gi, (word) => word.toUpperCase())
    .replace(/\bpagerduty\b/gi, "PagerDuty")
    .replace(/\bUpkeep\b/g, "upkeep");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** What an alert is about; of the system's kind "disabled:{id}" is "Webhook endpoint 958e7c22…", of a log "Transaction 0x7f3a1c…". */
export function subjectWords(subject: string): string {
  const [kind = "", id] = subject.split(":", 2);
  if (id === undefined) return words(subject);
  if (TRANSACTION_HASH.test(kind)) return `Transaction ${kind.slice(0, 8)}…`;
  const short = id.length > 12 ? `${id.slice(0, 8)}…` : id;
  return `${SYSTEM_SUBJECTS[kind] ?? words(kind)} ${short}`;
}

const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/i;
const SYSTEM_SUBJECTS: Record<string, string> = {
  binding: "Channel",
  dead: "Deliveries to",
  disabled: "Webhook endpoint",
  halted: "Chain",
  lagging: "Chain",
  deep_reorg: "Chain",
};

/** "0x99d30E42…0308" → "0x99d3…0308". */
export function shortHex(value: string, head = 6, tail = 4): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`;
}
