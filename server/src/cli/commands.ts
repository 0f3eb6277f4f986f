// The commands of `vaultops`, in the order in which they are listed. What each takes, and which function does its work, stands in the files
// of their kinds; how one is found and run, in main.ts.
import { ACTION_COMMANDS } from "./actions-commands.ts";
import { AUDIT_COMMANDS, WITNESS_COMMAND } from "./audit-commands.ts";
import { CLIENT_COMMANDS } from "./client-commands.ts";
import type { Command } from "./command.ts";
import { SECRET_COMMANDS } from "./secret-commands.ts";
import { SERVICE_COMMANDS } from "./service-commands.ts";

export const COMMANDS: readonly Command[] = [
  ...SERVICE_COMMANDS,
  ...AUDIT_COMMANDS,
  WITNESS_COMMAND,
  ...SECRET_COMMANDS,
  ...ACTION_COMMANDS,
  ...CLIENT_COMMANDS,
];
