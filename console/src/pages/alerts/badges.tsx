import { BellOff, CircleCheck, Siren, UserCheck } from "lucide-react";
import { words } from "../../format/words.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { Alert, Severity } from "./queries.ts";

export const SEVERITY_TONES = {
  critical: "critical",
  warning: "warning",
  info: "neutral",
} as const satisfies Record<Severity, Tone>;

export function SeverityBadge({ severity }: { severity: Severity }) {
  return <Badge tone={SEVERITY_TONES[severity]}>{words(severity)}</Badge>;
}

const STATUS = {
  firing: { icon: Siren, tone: "critical" },
  acknowledged: { icon: UserCheck, tone: "accent" },
  resolved: { icon: CircleCheck, tone: "good" },
} as const;

export function StatusBadge({ alert }: { alert: Pick<Alert, "status" | "severity"> }) {
  const { icon, tone } = STATUS[alert.status];
  return (
    <Badge icon={icon} tone={alert.status === "firing" ? SEVERITY_TONES[alert.severity] : tone}>
      {words(alert.status)}
    </Badge>
  );
}

/** What else there is to know before one acts on it. */
export function AlertMarks({ alert, isSilenced }: { alert: Alert; isSilenced: boolean }) {
  return (
    <>
      {alert.is_unconfirmed && (
        <Badge tone="warning" tip="It rests on a block that a reorganisation may still remove.">
          Unconfirmed
        </Badge>
      )}
      {alert.is_withdrawn && <Badge tip="A reorganisation removed what it rested on.">Withdrawn</Badge>}
      {alert.is_flapping && (
        <Badge tone="warning" tip="It comes and goes, and stays open until five quiet minutes have passed.">
          Flapping
        </Badge>
      )}
      {isSilenced && (
        <Badge icon={BellOff} tip="No notices of it are sent while a silence lasts.">
          Silenced
        </Badge>
      )}
    </>
  );
}
