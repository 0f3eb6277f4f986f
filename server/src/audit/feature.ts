// The audit log as a feature: its routes and what runs beside them, made of parts that the service hands in.
import { sql } from "kysely";
import { systemClock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import type { Notifier } from "../platform/db/notifier.ts";
import type { SqlReads } from "../platform/db/replica.ts";
import { every } from "../platform/lifecycle/every.ts";
import type { Feature, Task } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";
import { addExportRoute } from "./export/routes.ts";
import type { FindVisible } from "./read/filter.ts";
import { addLogRoutes } from "./read/routes.ts";
import { createHub } from "./read/stream.ts";
import { addStreamRoute, type StreamParts } from "./read/stream-routes.ts";
import { createStreamSeats, type StreamLimits } from "./read/stream-seats.ts";
import { type StreamsParts, streamTasks } from "./streams/streams.ts";
import { type CheckpointParts, type Checkpoints, createCheckpoints } from "./tree/checkpoint.ts";
import { addBundleRoute } from "./verify/bundle-routes.ts";
import { verifyLog } from "./verify/log.ts";
import { addProofRoutes } from "./verify/proof-routes.ts";
import { createWatch, type Verification } from "./verify/watch.ts";
import type { WitnessSettings } from "./witnesses/settings.ts";
import { createWitnesses, type Witnesses, type WitnessParts } from "./witnesses/witnesses.ts";

export interface AuditParts {
  db: Database;
  /** Where the log is read from: a pool with generic plans. `db` by default. */
  reader?: Database;
  /** Where it is read from by whoever goes on from a place of theirs, so that it may lag: a replica. `reader` by default. */
  lagging?: SqlReads;
  notifier: Notifier;
  log: Logger;
  /** Which vaults a caller may see under a filter, with its 404s and 403s (auth/vaults.ts). */
  findVisible: FindVisible;
  /** The caller with the roles of this moment (auth/): streams end when they change. */
  withRoles: StreamParts["withRoles"];
  /** `http.streams` of the configuration. */
  streamLimits: StreamLimits;
  /** Where the signing keys are: `audit` in the data folder. */
  folder: string;
  /** `audit.signing_keys` of the configuration, where the keys are not in the folder. */
  signingKeys?: () => string | null;
  /** The log's name in its checkpoints; see `originOf`. */
  origin: string;
  /** `audit.partition_entries` of the configuration: 1,000,000 unless told. */
  partitionEntries?: number;
  /** `audit.checkpoint_file` of the configuration. */
  checkpointFile?: string | null;
  /** `audit.witnesses` and `audit.witness_quorum`, and how they are reached. */
  witnesses?: WitnessSettings & Pick<WitnessParts, "request" | "intervalMs">;
  /** Told each minute of what stands between the log and its witnesses. */
  onWitnesses?: WitnessParts["onTroubles"];
  /** `audit.streams`, and how they are reached. */
  streams?: Pick<StreamsParts, "places" | "request" | "clock">;
  /** Told each minute of what stands between the log and the receivers of its streams. */
  onStreams?: StreamsParts["onTroubles"];
  /** Told when the background check begins or ceases to fail. */
  onVerification?: (state: Verification, startedAt: string) => void;
  /** Told when checkpoints cannot be signed because the log is not what was signed before. */
  onSigning?: CheckpointParts["onRefusal"];
  /** Told each minute what is to be known of `checkpointFile`. */
  onCheckpointFile?: CheckpointParts["onFile"];
  times?: StreamParts["times"];
}

export interface AuditFeature extends Feature {
  checkpoints: Checkpoints;
  witnesses: Witnesses;
  verification(): Verification;
}

export function auditFeature(parts: AuditParts): AuditFeature {
  const { db, log, notifier, folder, findVisible, withRoles } = parts;
  const reader = (parts.reader ?? db).kysely;
  const lagging = parts.lagging?.kysely ?? reader;
  const witnesses = createWitnesses({
    places: [],
    quorum: 1,
    request: () => Promise.reject(new Error("there is no witness")),
    ...parts.witnesses,
    db,
    log,
    ...(parts.onWitnesses && { onTroubles: parts.onWitnesses }),
  });
  const checkpoints = createCheckpoints({
    db,
    folder,
    signingKeys: parts.signingKeys,
    origin: parts.origin,
    log,
    file: parts.checkpointFile ?? null,
    elsewhere: witnesses.elsewhere,
    onSigned: witnesses.wake,
    ...(parts.onSigning && { onRefusal: parts.onSigning }),
    ...(parts.onCheckpointFile && { onFile: parts.onCheckpointFile }),
  });
  const streams = streamTasks({
    places: [],
    request: () => Promise.reject(new Error("there is no stream")),
    clock: systemClock,
    ...parts.streams,
    db,
    log,
    notifier,
    ...(parts.onStreams && { onTroubles: parts.onStreams }),
  });
  const seats = createStreamSeats(db, parts.streamLimits, log);
  const watch = createWatch({
    check: (signal) => verifyLog({ pool: db.pool, folder, signal }),
    log,
    ...(parts.onVerification && { onChange: parts.onVerification }),
  });
  return {
    name: "audit",
    checkpoints,
    witnesses,
    verification: watch.state,
    routes(app) {
      addLogRoutes(app, { reader, lagging, findVisible });
      addExportRoute(app, { db, findVisible, checkpoints, vouched: witnesses.vouched });
      addProofRoutes(app, {
        reader: db.kysely,
        checkpoints,
        verification: watch.state,
        quorum: witnesses.quorum,
      });
      addBundleRoute(app, { reader: db.kysely, quorum: witnesses.quorum });
      const hub = createHub({ reader, lagging, notifier, log });
      const times = parts.times && { times: parts.times };
      addStreamRoute(app, { reader, hub, findVisible, withRoles, seats, ...times });
    },
    tasks: [
      checkpoints.task,
      ...witnesses.tasks,
      ...streams,
      watch.task,
      seats.task,
      partitionTask(db, log, parts.partitionEntries ?? 1_000_000),
    ],
  };
}

/** The log's name: where the service is known, e.g. `vaultops.example.com/audit`. It stays that of the first key. */
export function originOf(publicUrl: string): string {
  const { host, pathname } = new URL(publicUrl);
  return `${host}${pathname.replace(/\/$/, "")}/audit`;
}

const DAY_MS = 86_400_000;

/** Makes partitions ahead of the log's end. */
function partitionTask(db: Database, log: Logger, entries: number): Task {
  return every({ name: "audit partitions", role: "worker", ms: DAY_MS, log }, () =>
    sql`select audit_ensure_partitions(${entries})`.execute(db.kysely),
  );
}
