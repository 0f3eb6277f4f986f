// Reads over HTTP as pollers and consoles make them, from the service as it is run, against a bare node:http server that returns the
// same bytes. The service checks the token, the wallet's roles of this moment, quotas and filters; the bare server checks nothing.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Figure, interleave } from "./support/figure.ts";
import { measure } from "./support/raw-client.ts";
import type { Served } from "./support/served.ts";

const CONNECTIONS = 32;

interface Measured {
  name: string;
  against: string;
  aim: number;
  path: keyof Served["paths"];
  isAnonymous?: boolean;
  isPoll?: boolean;
}

const SAME_BYTES = "bare node:http, the same bytes";
const MEASURED: Measured[] = [
  { name: "GET public/vaults, 60 vaults", against: SAME_BYTES, aim: 0.8, path: "listing", isAnonymous: true },
  { name: "GET vaults/{chain_id}/{address}", against: SAME_BYTES, aim: 0.8, path: "vault" },
  { name: "GET auth/me, 10 roles", against: SAME_BYTES, aim: 0.8, path: "me" },
  { name: "GET audit/logs, 100 entries of a vault", against: SAME_BYTES, aim: 0.3, path: "audit" },
  { name: "304 on a poll of a vault", against: "bare node:http 304", aim: 0.7, path: "vault", isPoll: true },
];

export const figures: Figure[] = MEASURED.map(({ name, against, aim, path, isAnonymous, isPoll }) => ({
  name,
  against,
  aim,
  async run({ quick }) {
    const served = await serve();
    const common = {
      path: served.paths[path],
      headers: {
        ...(isAnonymous ? {} : { authorization: `Bearer ${served.token}` }),
        ...(isPoll ? { "if-none-match": served.etag } : {}),
      },
      status: isPoll ? 304 : 200,
      connections: CONNECTIONS,
      seconds: quick ? 0.7 : 3,
    };
    return interleave({
      rounds: quick ? 3 : 9,
      unit: "requests/s",
      ours: () => measure({ ...common, port: served.servicePort }),
      limit: () => measure({ ...common, port: served.barePort }),
    });
  },
}));

let started: Promise<Served> | undefined;

/** One service for all figures; it ends with this process. */
function serve(): Promise<Served> {
  started ??= (async () => {
    const child: ChildProcess = fork(join(import.meta.dirname, "support/served.ts"), {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [served] = await Promise.race([
      once(child, "message"),
      once(child, "exit").then(([code]) => {
        throw new Error(`the service to be measured ended with ${code}`);
      }),
    ]);
    child.unref();
    child.channel?.unref();
    return served as Served;
  })();
  return started;
}
