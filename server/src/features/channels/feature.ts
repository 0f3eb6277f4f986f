// Notification channels as a feature: routes, what hears of alerts, and the queue that sends.
import type { Subscriber } from "../../events/fan-out.ts";
import type { Egress, EgressSettings } from "../../platform/egress/egress.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import { addBindingRoutes } from "./api/binding-routes.ts";
import { addConfirmPage } from "./api/confirm-page.ts";
import { addLinkRoutes } from "./api/link-routes.ts";
import { addChannelRoutes, type ChannelRouteParts } from "./api/routes.ts";
import type { AnswerAlert, PressParts } from "./inbound/press.ts";
import { addInboundRoute } from "./inbound/routes.ts";
import { type EscalationParts, escalationTask } from "./send/escalation.ts";
import { channelSubscriber } from "./send/fan-out.ts";
import { createMailer } from "./send/mail.ts";
import { createTokenSource, type TokenSettings, type TokenSource } from "./send/mail-token.ts";
import { type ChannelQueueParts, channelQueue } from "./send/queue.ts";
import { MailConsent } from "./store/mail-addresses.ts";

export interface ChannelsParts
  extends Pick<ChannelRouteParts, "db" | "clock" | "log" | "box" | "idempotency"> {
  egress: Pick<Egress, "request">;
  egressSettings: EgressSettings;
  publicUrl: string;
  smtp: {
    url: string | null;
    from: string | null;
    allowed_domains: readonly string[];
    oauth2?: MaybeTokenSettings;
  };
  systemChannels: readonly string[];
  collectSeconds: number;
  chainNames: ReadonlyMap<number, string>;
  random?: () => number;
  /** Does what is answered to an alert from a chat. */
  answerAlert: AnswerAlert;
  callerOf: PressParts["callerOf"];
  alertsById: EscalationParts["alertsById"];
}

type MaybeTokenSettings = { [K in keyof TokenSettings]: string | null };

function isComplete(oauth2: MaybeTokenSettings): oauth2 is TokenSettings {
  return oauth2.token_url !== null && oauth2.client_id !== null;
}

function tokensOf({ egress, smtp: { oauth2 } }: ChannelsParts): TokenSource | null {
  return oauth2 !== undefined && isComplete(oauth2) ? createTokenSource(egress, oauth2) : null;
}

export function channelsFeature(
  parts: ChannelsParts,
): Feature & { subscriber: Subscriber; queue: ReturnType<typeof channelQueue> } {
  const { db, clock, log, box, smtp } = parts;
  const consent = new MailConsent(smtp.allowed_domains);
  const alertsUrl = `${parts.publicUrl}/alerts`;
  const queueParts: ChannelQueueParts = {
    db,
    clock,
    log,
    box,
    egress: parts.egress,
    mailer: createMailer(smtp, tokensOf(parts)),
    from: smtp.from ?? "",
    consent,
    publicUrl: parts.publicUrl,
    alertsUrl,
    random: parts.random ?? Math.random,
  };
  const queue = channelQueue(queueParts);
  const noticeParts = {
    clock,
    collectMs: Math.round(parts.collectSeconds * 1000),
    chainNames: parts.chainNames,
  };
  return {
    name: "channels",
    routes(app) {
      const routeParts: ChannelRouteParts = {
        ...parts,
        queue: queue as ChannelRouteParts["queue"],
        alertsUrl,
        consent,
      };
      addChannelRoutes(app, routeParts);
      addBindingRoutes(app, routeParts);
      addLinkRoutes(app, routeParts);
      addInboundRoute(app, parts);
      addConfirmPage(app, db, parts.publicUrl);
    },
    tasks: [escalationTask({ ...noticeParts, db, log, alertsById: parts.alertsById })],
    subscriber: channelSubscriber({ ...noticeParts, systemChannels: parts.systemChannels }),
    queue,
  };
}
