// A service that takes engine reports, to be killed in order.db.test.ts. Arguments: the database's URL. Tells its address.
import { openDatabase } from "../src/platform/db/db.ts";
import { buildEngineApp } from "./engine.ts";

const app = await buildEngineApp(await openDatabase({ url: process.argv[2] as string }));
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
