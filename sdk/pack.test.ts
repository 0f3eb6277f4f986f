// The package as it is sent out: packed, installed in an empty folder without a network, and used on whatever Node there is.
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { otherNode, packCopy } from "../scripts/packed.ts";

const run = promisify(execFile);
const KEY = Buffer.alloc(32, 7);
const other = await otherNode();
const asked: { url: string; token: string | undefined; body: string }[] = [];
let service: Server;
let url: string;
let home: string;
let folder: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vaultops-pack-"));
  folder = join(home, "empty");
  await cp(await packCopy("sdk", join(home, "repository")), join(folder, "sdk.tgz"));
  await writeFile(join(folder, "package.json"), '{"type":"module","private":true}');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "./sdk.tgz"], { cwd: folder });
  service = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ url: request.url ?? "", token: request.headers.authorization, body });
    response.setHeader("content-type", "application/json");
    response.end(
      request.method === "GET"
        ? '{"vaults":[{"chain_id":8453,"vault_address":"0x01"}]}'
        : '{"results":[{"status":"accepted"}]}',
    );
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await rm(home, { recursive: true, force: true });
});

it("holds what was built and nothing else", async () => {
  const installed = join(folder, "node_modules/@vaultops/sdk");
  expect((await readdir(installed)).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect((await readdir(join(installed, "dist"))).filter((name) => !/\.(d\.ts|js)$/.test(name))).toEqual([]);
  expect(JSON.parse(await readFile(join(installed, "package.json"), "utf8")).exports).toEqual({
    "./poll": { types: "./dist/audit-log.d.ts", default: "./dist/audit-log.js" },
    "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" },
  });
  const left = await readFile(join(home, "repository/sdk/package.json"), "utf8");
  expect(left).toBe(await readFile(join(import.meta.dirname, "package.json"), "utf8"));
});

it("calls, reports and verifies", () => useWith(process.execPath));

it.skipIf(other === null)(
  `calls, reports and verifies on another Node: ${other?.version ?? "none is on the path"}`,
  () => useWith(other!.path),
);

async function useWith(node: string): Promise<void> {
  asked.length = 0;
  const env = { ...process.env, VAULTOPS_URL: url, VAULTOPS_TOKEN: "t0ken" };
  const readme = await readFile(join(import.meta.dirname, "README.md"), "utf8");
  await writeFile(join(folder, "readme.js"), /```js\n(.*?)```/s.exec(readme)![1]!);
  expect((await run(node, ["readme.js"], { cwd: folder, env })).stdout).toBe("8453:0x01\n");
  expect(asked).toEqual([{ url: "/api/v1/vaults", token: "Bearer t0ken", body: "" }]);

  const at = Math.floor(Date.now() / 1000);
  const body = '{"event_id":"e1","event_type":"service.late"}';
  const signature = createHmac("sha256", KEY).update(`m1.${at}.${body}`).digest("base64");
  const headers = {
    "webhook-id": "m1",
    "webhook-timestamp": `${at}`,
    "webhook-signature": `v1,${signature}`,
  };
  const secret = `whsec_${KEY.toString("base64")}`;
  const program = `import { createReporter } from "@vaultops/sdk/report";
    import { verifyWebhook } from "@vaultops/sdk/verify-webhook";
    import { fileStore } from "@vaultops/sdk/poll";
    const reporter = await createReporter({ url: "${url}", token: "t", source: "/engine", spoolDir: "reports" });
    reporter.report("vaultops.pps.report", { vault: "1:0x02", data: { value: 7n, at: "2026-01-01T00:00:00Z" } });
    await reporter.stop();
    await fileStore("place").save("c1");
    const event = await verifyWebhook(${JSON.stringify({ body, headers, secret })});
    console.log(event.event_id, await fileStore("place").load(), reporter.stats().sent);`;
  await writeFile(join(folder, "use.js"), program);
  expect((await run(node, ["use.js"], { cwd: folder, env })).stdout).toBe("e1 c1 1\n");
  expect(asked[1]?.body).toContain('"value":"7"');
}

it("has declarations that another project compiles against", async () => {
  const use = `import { createClient } from "@vaultops/sdk/client";
    import { createReporter } from "@vaultops/sdk/report";
    const { vaults } = await createClient({ baseUrl: "" }).call("GET /api/v1/vaults");
    export const chain: number | undefined = vaults[0]?.chain_id;
    const reporter = await createReporter({ url: "", token: "", source: "", spoolDir: "" });
    // @ts-expect-error: there is no such report
    reporter.report("vaultops.none", { data: {} });
    export {};`;
  await writeFile(join(folder, "use.ts"), use);
  const options = "--strict --noEmit --module nodenext --target es2022 --lib es2022,dom --types".split(" ");
  const tsc = join(import.meta.dirname, "../node_modules/@typescript/native/bin/tsc");
  await run(process.execPath, [tsc, ...options, "", "use.ts"], { cwd: folder });
});
