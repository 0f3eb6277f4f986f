// The monitors, by hand, in the order in which categories are listed. A new one is a file beside this and a line here.
import { emergencyExit } from "./emergency-exit.ts";
import { emergencyPause } from "./emergency-pause.ts";
import { execution } from "./execution.ts";
import { governance } from "./governance.ts";
import { keeperRun } from "./keeper-run.ts";
import { liquidity } from "./liquidity.ts";
import { losses } from "./losses.ts";
import { merkleJobs, merkleRoot } from "./merkle.ts";
import { ppsStaleness } from "./pps-staleness.ts";
import { price } from "./price.ts";
import { sessionKey } from "./session-key.ts";
import { upkeep } from "./upkeep.ts";

export const MONITORS = [
  upkeep,
  ppsStaleness,
  keeperRun,
  sessionKey,
  emergencyPause,
  emergencyExit,
  merkleRoot,
  merkleJobs,
  execution,
  price,
  losses,
  liquidity,
  governance,
] as const;
