// A service in miniature for tests that kill it: starts the embedded server on the folder named first, says its URLs as
// one line of JSON, and lives until it is ended. With `stop` on stdin it ends orderly.
import pino from "pino";
import { startEmbeddedPostgres } from "./postgres.ts";

const log = pino({ level: "error" }, pino.destination({ dest: 2, sync: true }));
try {
  const postgres = await startEmbeddedPostgres({
    dataDir: process.argv[2]!,
    log,
    isDurable: process.argv[3] === "durable",
  });
  console.log(
    JSON.stringify({
      ownerUrl: postgres.ownerUrl,
      appUrl: postgres.appUrl,
      superuserUrl: postgres.superuserUrl,
    }),
  );
  postgres.ended.then((reason) => {
    console.log(JSON.stringify({ ended: reason }));
    process.exit(3);
  });
  process.stdin.once("data", async () => {
    await postgres.stop();
    process.exit(0);
  });
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }));
  process.exit(2);
}
