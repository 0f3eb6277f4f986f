// An alert as every client sees it: the API's list, webhooks and the notices of channels.
import { type Static, Type } from "typebox";
import { AddressText, ChainIdOrZero, Nullable, OneOf, Timestamp } from "../platform/http/schemas.ts";

export const ALERT_CATEGORIES = [
  "upkeep",
  "pps_staleness",
  "keeper_run",
  "session_key",
  "emergency_pause",
  "emergency_exit",
  "merkle",
  "execution",
  "system",
] as const;
export const ALERT_SEVERITIES = ["critical", "warning", "info"] as const;
export const ALERT_STATUSES = ["firing", "acknowledged", "resolved"] as const;

export type AlertCategory = (typeof ALERT_CATEGORIES)[number];
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export const AlertSchema = Type.Object({
  id: Type.String({ format: "uuid" }),
  category: OneOf(ALERT_CATEGORIES),
  severity: OneOf(ALERT_SEVERITIES),
  status: OneOf(ALERT_STATUSES),
  vault_address: AddressText,
  chain_id: ChainIdOrZero,
  title: Type.String(),
  message: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  is_unconfirmed: Type.Boolean({
    description: "It stands on a block that a reorganisation may still take away.",
  }),
  started_at: Timestamp,
  last_seen_at: Timestamp,
  resolved_at: Nullable(Timestamp),
  acknowledged_by: Nullable(AddressText),
});

export type Alert = Static<typeof AlertSchema>;

export const EXAMPLE_ALERT: Alert = {
  id: "0196b0a5-9d00-7000-8000-000000000002",
  category: "pps_staleness",
  severity: "warning",
  status: "firing",
  vault_address: "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
  chain_id: 8453,
  title: "Price per share goes stale in 9 minutes",
  message: "The price per share was last updated at 09:09 UTC and expires at 10:09 UTC.",
  details: { remaining_seconds: 540 },
  is_unconfirmed: false,
  started_at: "2026-05-09T10:00:00.000000Z",
  last_seen_at: "2026-05-09T10:00:00.000000Z",
  resolved_at: null,
  acknowledged_by: null,
};
