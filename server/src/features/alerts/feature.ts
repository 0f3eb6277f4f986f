// Alerts: what is wrong, told once to the right person. Monitors judge, evaluation decides, events carry it to whoever listens.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Registry } from "prom-client";
import type { StreamTrouble } from "../../audit/streams/streams.ts";
import type { Verification } from "../../audit/verify/watch.ts";
import type { WitnessTrouble } from "../../audit/witnesses/witnesses.ts";
import type { VaultAccess } from "../../auth/vaults.ts";
import type { Alert } from "../../events/alert.ts";
import type { Subscriber } from "../../events/fan-out.ts";
import type { AlertRules } from "../../monitors/alert-rules.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import type { Notifier } from "../../platform/db/notifier.ts";
import type { Feature, Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import { addAlertRoutes } from "./api/alert-routes.ts";
import { alertsById } from "./api/alert-store.ts";
import { type Answer, answerAlert } from "./api/answers.ts";
import { addRuleRoutes } from "./api/rule-routes.ts";
import { addSilenceRoutes } from "./api/silence-routes.ts";
import type { DispatchCalls } from "./dispatch/calls.ts";
import { dispatchTask } from "./dispatch/task.ts";
import { heartbeatTasks } from "./judge/heartbeat.ts";
import { alertMetrics } from "./judge/metrics.ts";
import { pruneTask } from "./judge/prune.ts";
import {
  noteCheckpointFile,
  noteSigning,
  noteStreams,
  noteVerification,
  noteWitnesses,
} from "./judge/system-notes.ts";
import { ALERTS_CHANNEL, evaluationTask, type WorkerParts } from "./judge/worker.ts";
import type { WatchedChain } from "./system/system-state.ts";

export interface AlertsParts {
  db: Database;
  clock: Clock;
  log: Logger;
  notifier: Notifier;
  metrics: Registry;
  vaults: VaultAccess;
  publicUrl: string;
  rules: AlertRules;
  chains: readonly WatchedChain[];
  /** Of actions, for bots. */
  calls: DispatchCalls;
  /** How long what is over is kept. */
  historyDays: number;
  /** How long a worker that is gone keeps others from judging; 5000 unless told. */
  leaseMs?: number;
}

export interface AlertsFeature extends Feature {
  subscriber: Subscriber;
  /** Acknowledges or silences, for an answer that did not come over these routes. */
  answer(tx: Tx, asked: Answer): Promise<string>;
  /** Alerts as they are now. */
  byId(tx: Tx, ids: readonly string[]): Promise<Alert[]>;
  /** To be told what the background check of the audit log finds. */
  onVerification(state: Verification, startedAt: string): void;
  /** Told of all that stands between the audit log and its witnesses. */
  onWitnesses(troubles: readonly WitnessTrouble[]): void;
  /** Told of all that stands between the audit log and the receivers of its streams. */
  onStreams(troubles: readonly StreamTrouble[]): void;
  /** Told why checkpoints of the audit log are not signed; null once they are. */
  onSigning(refusal: { message: string; signedSize: number | null } | null): void;
  /** What is to be known of the file that checkpoints are appended to. */
  onCheckpointFile(trouble: string | null): void;
}

const LEASE_MS = 5_000;

export function alertsFeature(parts: AlertsParts): AlertsFeature {
  const { db, clock, log, notifier, vaults, publicUrl, rules, chains, calls, historyDays } = parts;
  return {
    name: "alerts",
    routes(app) {
      const routeParts = { db, clock, vaults, publicUrl };
      addAlertRoutes(app, routeParts);
      addSilenceRoutes(app, routeParts);
      addRuleRoutes(app, { ...routeParts, defaults: rules, calls });
    },
    tasks: [
      worker(parts, { db, clock, log, notifier, publicUrl, defaults: rules, chains }),
      dispatchTask({ db, clock, log, notifier, calls }),
      pruneTask({ db, clock, log, historyDays }),
      ...heartbeatTasks({ db, clock, log, chains }),
    ],
    subscriber: {
      name: "alerts",
      types: ["delivery.dead", "delivery.recovered", "webhook.disabled"],
      // The tables say it all: this only makes it known at once.
      async onEvents(tx) {
        await sql`select pg_notify(${ALERTS_CHANNEL}, 'system')`.execute(tx);
      },
    },
    byId: (tx, ids) => alertsById(tx, ids, publicUrl),
    answer: (tx, asked) => answerAlert(tx, publicUrl, asked),
    onSigning(refusal) {
      noteSigning(db, refusal).catch((error) =>
        log.error({ err: error }, "the state of the audit log's signing could not be stored"),
      );
    },
    onCheckpointFile(trouble) {
      noteCheckpointFile(db, trouble).catch((error) =>
        log.error({ err: error }, "the state of the audit log's checkpoint file could not be stored"),
      );
    },
    onWitnesses(troubles) {
      noteWitnesses(db, troubles).catch((error) =>
        log.error({ err: error }, "the state of the audit log's witnesses could not be stored"),
      );
    },
    onStreams(troubles) {
      noteStreams(db, troubles).catch((error) =>
        log.error({ err: error }, "the state of the audit log's streams could not be stored"),
      );
    },
    onVerification(state, startedAt) {
      noteVerification(db, state, startedAt).catch((error) =>
        log.error({ err: error }, "the outcome of the audit log's verification could not be stored"),
      );
    },
  };
}

/** Its metrics are made when it runs: a process without workers has none. */
function worker(
  { metrics, leaseMs = LEASE_MS }: AlertsParts,
  parts: Omit<WorkerParts, "holder" | "leaseMs" | "observe">,
): Task {
  let observe: WorkerParts["observe"];
  const run: Task["run"] = (signal) => {
    observe ??= alertMetrics(metrics);
    return evaluationTask({ ...parts, holder: randomUUID(), leaseMs, observe }).run(signal);
  };
  return { name: "alerts: evaluate", role: "worker", run };
}
