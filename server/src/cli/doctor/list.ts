// Everything that `vaultops doctor` looks at, in this order; docs/operations/checklist.md tells of the same.
import { channels } from "./channels.ts";
import type { Check } from "./check.ts";
import {
  databaseClock,
  databaseReached,
  databaseRoles,
  databaseVersion,
  processesOfRelease,
  schema,
} from "./database.ts";
import { checkpoints, disk } from "./files.ts";
import { keys } from "./keys.ts";
import { listener } from "./listener.ts";
import { mail } from "./mail.ts";
import { identityProviders, ports, proxy } from "./network.ts";
import { nodes } from "./nodes.ts";
import { replica } from "./replica.ts";
import { streams } from "./streams.ts";

export const CHECKS: readonly Check[] = [
  databaseReached,
  databaseVersion,
  databaseRoles,
  schema,
  databaseClock,
  listener,
  replica,
  processesOfRelease,
  disk,
  keys,
  checkpoints,
  streams,
  ports,
  proxy,
  identityProviders,
  nodes,
  mail,
  channels,
];
