// The monitors, by hand, in the order in which categories are listed. A new one is a file beside this and a line here.
import { emergencyExit } from "./engine/emergency-exit.ts";
import { emergencyPause } from "./engine/emergency-pause.ts";
import { execution } from "./engine/execution.ts";
import { keeperRun } from "./engine/keeper-run.ts";
import { merkleJobs, merkleRoot } from "./engine/merkle.ts";
import { ppsStaleness } from "./engine/pps-staleness.ts";
import { sessionKey } from "./engine/session-key.ts";
import { upkeep } from "./engine/upkeep.ts";
import { allocation } from "./risk/allocation.ts";
import { flows } from "./risk/flows.ts";
import { governance } from "./risk/governance.ts";
import { liquidity } from "./risk/liquidity.ts";
import { badDebt, losses } from "./risk/losses.ts";
import { price } from "./risk/price.ts";
import { tvl } from "./risk/tvl.ts";

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
  badDebt,
  liquidity,
  flows,
  tvl,
  governance,
  allocation,
] as const;
