// Notices for tests: plain ones, and such as were written to break a message.
import { type Alert, EXAMPLE_ALERT } from "../src/events/alert.ts";
import type { Notice, NoticeForm } from "../src/features/channels/notice/notice.ts";
import { ALERT_SEVERITIES, type AlertSeverity } from "../src/monitors/base/finding.ts";
import { ALERT_CATEGORIES, type AlertCategory } from "../src/monitors/categories.ts";

export const ALERTS_URL = "https://vaults.example/alerts";

export function alertOf(changes: Partial<Alert> = {}): Alert {
  const id = changes.id ?? EXAMPLE_ALERT.id;
  return {
    ...EXAMPLE_ALERT,
    id,
    severity: "critical",
    vault_name: "USDC Prime",
    title: "Price per share is stale",
    message: "The price per share was last updated at 09:09 UTC and expired at 10:09 UTC.",
    next_step: "See whether the price updater runs and is funded.",
    console_url: `${ALERTS_URL}/${id}`,
    transaction_url: `https://explorer.example/tx/0x${"a7".repeat(32)}`,
    started_at: "2026-05-09T10:09:00.000000Z",
    ...changes,
  };
}

export function noticeOf(form: NoticeForm = "firing", changes: Partial<Alert> = {}): Notice {
  const isOver = form === "resolved" || form === "withdrawn";
  const alert = alertOf({
    ...(isOver ? { status: "resolved", resolved_at: "2026-05-09T11:29:00.000000Z" } : {}),
    ...changes,
  });
  return {
    id: `${alert.id}:${form}`,
    form,
    at: isOver ? "2026-05-09T11:29:00.000000Z" : alert.started_at,
    alert,
    chainName: "Base",
  };
}

export const FORMS: readonly NoticeForm[] = ["firing", "update", "resolved", "withdrawn", "test"];
/** Texts that a token's name or an engine's report may hold. */
export const HOSTILE_TEXTS: readonly string[] = [
  "@everyone @here <!channel> <!here|here> <@U012AB3CD> <#C012AB3CD> <@&123> @telegram_user",
  "line\r\nBcc: victim@example.org\r\n\r\nbody",
  "</b><script>alert(1)</script><a href='https://evil.example'>click</a> &lt;b&gt; &amp; & &#60;",
  "[click](https://evil.example) **bold** `code` ```block``` ~~x~~ ||y|| # head\n> quote\n- item",
  `${"x".repeat(240)}👩‍👩‍👧‍👦${"👩‍👩‍👧‍👦".repeat(500)}`,
  "\ud800 lone \udc00 surrogates \u0000\u0007\u001b[31m\u202egnp.exe\u2066 \ufeff",
  `a${"\u0301".repeat(5000)}`,
  "&".repeat(6000),
  "<".repeat(6000),
  "@".repeat(6000),
  `${"\\".repeat(3000)}${"*".repeat(3000)}`,
  "ÀÉ漢字🇨🇭".repeat(3000),
  "\n".repeat(5000),
  "   ",
  "",
  '"}],"x":\'</script>\u2028\u2029',
  `https://evil.example/${"a".repeat(3000)}`,
];

/** A notice with the text wherever others may write. */
export function hostileNotice(text: string, form: NoticeForm = "firing", index = 0): Notice {
  const notice = noticeOf(form, {
    id: `0196b0a5-9d00-7000-8000-${String(index).padStart(12, "0")}`,
    subject: text,
    title: text,
    message: text,
    next_step: text,
    vault_name: text,
    category: ALERT_CATEGORIES[index % ALERT_CATEGORIES.length] as AlertCategory,
    severity: ALERT_SEVERITIES[index % ALERT_SEVERITIES.length] as AlertSeverity,
    details: { [text]: text, text, list: [text, { text }], count: 1, none: null },
  });
  return { ...notice, chainName: text };
}

/** An incident of so many alerts, each of another vault. */
export function incident(count: number, changes: Partial<Alert> = {}): Notice[] {
  return Array.from({ length: count }, (_, index) =>
    noticeOf("firing", {
      id: `0196b0a5-9d00-7000-8000-${String(index).padStart(12, "0")}`,
      vault_address: `0x${index.toString(16).padStart(40, "0")}`,
      vault_name: `Vault ${index + 1}`,
      ...changes,
    }),
  );
}

/** The same with every form, severity and category among them. */
export function mixedIncident(count: number): Notice[] {
  return incident(count).map((notice, index) => ({
    ...notice,
    form: FORMS[index % FORMS.length] as NoticeForm,
    alert: {
      ...notice.alert,
      title: `Something happened, number ${index}`,
      category: ALERT_CATEGORIES[index % ALERT_CATEGORIES.length] as AlertCategory,
      severity: ALERT_SEVERITIES[(index >> 2) % ALERT_SEVERITIES.length] as AlertSeverity,
    },
  }));
}
