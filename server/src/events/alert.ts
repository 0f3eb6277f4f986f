// An alert as every client sees it: the API's list, webhooks and the notices of channels.
import { type Static, Type } from "typebox";
import { ALERT_SEVERITIES } from "../monitors/base/finding.ts";
import { ALERT_CATEGORIES } from "../monitors/categories.ts";
import { AddressText, ChainIdOrZero, Nullable, named, OneOf, Timestamp } from "../platform/http/schemas.ts";

export const ALERT_STATUSES = ["firing", "acknowledged", "resolved"] as const;

export type AlertStatus = (typeof ALERT_STATUSES)[number];

export const AlertCategorySchema = named("AlertCategory", OneOf(ALERT_CATEGORIES));
export const AlertSeveritySchema = named("AlertSeverity", OneOf(ALERT_SEVERITIES));
export const AlertStatusSchema = named("AlertStatus", OneOf(ALERT_STATUSES));

export const AlertSchema = named(
  "Alert",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    category: AlertCategorySchema,
    subject: Type.String({
      description: "What it is about within the category: a service's name, a strategy, a kind of job.",
    }),
    severity: AlertSeveritySchema,
    status: AlertStatusSchema,
    vault_address: AddressText,
    chain_id: ChainIdOrZero,
    vault_name: Nullable(Type.String()),
    title: Type.String(),
    message: Type.String({ description: "What happened, to which vault, since when." }),
    next_step: Type.String({ description: "What to do next." }),
    details: Type.Record(Type.String(), Type.Unknown()),
    console_url: Type.String({ description: "The alert in the console." }),
    transaction_url: Nullable(
      Type.String({ description: "The transaction that caused it, in the chain's explorer." }),
    ),
    is_unconfirmed: Type.Boolean({
      description: "It rests on a block that a reorganisation may still remove.",
    }),
    is_withdrawn: Type.Boolean({ description: "A reorganisation removed what it rested on." }),
    is_flapping: Type.Boolean({
      description: "It comes and goes, and stays open until it has not been seen for five minutes.",
    }),
    started_at: Timestamp,
    last_seen_at: Timestamp,
    resolved_at: Nullable(Timestamp),
    acknowledged_at: Nullable(Timestamp),
    acknowledged_by: Nullable(AddressText),
    last_notice: Nullable(
      OneOf(["opened", "severity_raised", "reminder"], {
        description: "The last notice sent of it; null while none was sent, as under a silence.",
      }),
    ),
  }),
);

export type Alert = Static<typeof AlertSchema>;

export const EXAMPLE_ALERT: Alert = {
  id: "0196b0a5-9d00-7000-8000-000000000002",
  category: "pps_staleness",
  subject: "pps",
  severity: "warning",
  status: "firing",
  vault_address: "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
  chain_id: 8453,
  vault_name: "Alpha",
  title: "Price per share goes stale soon",
  message:
    "Alpha (0x10AC…4698 on Base): its price per share was last updated at 2026-05-09 09:09:00 UTC and expires at 2026-05-09 10:09:00 UTC.",
  next_step:
    "Look after the price oracle and its keepers. A stale price is refused by the vault until it is updated.",
  details: {
    last_update: "2026-05-09T09:09:00.000000Z",
    expires_at: "2026-05-09T10:09:00.000000Z",
    expiration_seconds: 3600,
    is_flagged: false,
    staleness_reason: null,
    pps_expires_at: "2026-05-09T10:09:00.000000Z",
    pps_would_expire_at: "2026-05-09T10:09:00.000000Z",
  },
  console_url: "https://vaultops.example/alerts/0196b0a5-9d00-7000-8000-000000000002",
  transaction_url: null,
  is_unconfirmed: false,
  is_withdrawn: false,
  is_flapping: false,
  started_at: "2026-05-09T10:00:00.000000Z",
  last_seen_at: "2026-05-09T10:00:00.000000Z",
  resolved_at: null,
  acknowledged_at: null,
  acknowledged_by: null,
  last_notice: "opened",
};
