// The deploy files under the programs that they are for: Prometheus, kubectl, systemd and Compose. They come from Debian where they are
// missing, so this belongs to `npm run test:full`.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { openDatabase } from "../server/src/platform/db/db.ts";
import { leadsTo } from "../server/src/platform/db/leads-to.ts";
import { createTestDatabase } from "../server/test/database.ts";
import { debianProgram } from "../server/test/debian.ts";
import { freePort } from "../server/test/free-port.ts";
import { startPgbouncer } from "../server/test/pgbouncer.ts";
import { startWholeService, type WholeService } from "../server/test/whole-service.ts";
import { readExpressions } from "./expressions.ts";

const run = promisify(execFile);
const HERE = import.meta.dirname;
const PROMETHEUS = join(HERE, "prometheus");
const TOKEN = "0123456789abcdef0123456789abcdef";

describe.runIf(process.env.VAULTOPS_FULL === "1")(
  "the deploy files under the programs that they are for",
  () => {
    let home: string;
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "vaultops-deploy-"));
    });
    afterAll(() => rm(home, { recursive: true }));

    it("promtool takes the configuration and the rules, and their tests pass", async () => {
      const promtool = await debianProgram("promtool", "prometheus");
      await run(promtool, ["check", "config", "--syntax-only", "prometheus.yaml"], { cwd: PROMETHEUS });
      const { stdout } = await run(promtool, ["test", "rules", "rules.test.yaml"], { cwd: PROMETHEUS });
      expect(stdout).toContain("SUCCESS");
    });

    it("systemd takes the unit, and finds it well confined", async () => {
      const analyze = await debianProgram("systemd-analyze", "systemd");
      const unit = await readFile(join(HERE, "systemd/vaultops.service"), "utf8");
      const path = join(home, "vaultops.service");
      // The program is not installed here; everything else is judged as it stands.
      await writeFile(path, unit.replace("/opt/vaultops/node_modules/.bin/vaultops", process.execPath));
      const { stderr } = await run(analyze, ["verify", path]);
      expect(stderr).toBe("");
      await run(analyze, ["security", "--offline=yes", "--threshold=20", path]);
    });

    it("kustomize builds what the folder lists, the image and the configuration named in it", async () => {
      const kubectl = await debianProgram("kubectl", "kubernetes-client");
      const { stdout } = await run(kubectl, ["kustomize", join(HERE, "kubernetes")]);
      const objects = parseAllDocuments(stdout).map((document) => document.toJS());
      const config = objects.find(({ kind }) => kind === "ConfigMap");
      expect(config.data["vaultops.yaml"]).toBe(
        await readFile(join(HERE, "kubernetes/vaultops.yaml"), "utf8"),
      );
      const pods = objects.flatMap(({ spec }) => spec?.template?.spec ?? []);
      expect(pods).toHaveLength(4);
      for (const { containers, volumes } of pods) {
        expect(containers[0].image).toMatch(/^registry\.example\.org\/vaultops:/);
        expect(volumes[0].configMap.name).toBe(config.metadata.name);
      }
      expect(new Set(objects.map(({ kind, metadata }) => metadata.namespace ?? kind))).toEqual(
        new Set(["vaultops", "Namespace"]),
      );
    });

    it.each(["compose.yaml", "compose.single.yaml"])("docker-compose takes %s", async (name) => {
      const compose = await debianProgram("docker-compose");
      await cp(HERE, join(home, "deploy"), { recursive: true });
      const { stdout } = await run(compose, ["-f", name, "config"], { cwd: join(home, "deploy") });
      const written = parse(await readFile(join(HERE, name), "utf8"));
      expect(Object.keys(parse(stdout).services).sort()).toEqual(Object.keys(written.services).sort());
    });

    it("PgBouncer takes its settings, and the service works through it", async () => {
      const database = await createTestDatabase();
      const ini = await readFile(join(HERE, "compose/pgbouncer.ini"), "utf8");
      // Where it listens, and by what it knows its users, are the test's own.
      const own = /^(\[|;|listen_|unix_|auth_|pool_mode|vaultops =|$)/;
      const settings = ini.split("\n").filter((line) => !own.test(line));
      expect(settings).toHaveLength(7);
      const pooler = await startPgbouncer(database.url, "transaction", settings);
      const db = await openDatabase({ url: pooler.url, directUrl: database.url });
      expect(await leadsTo(pooler.url, db)).toBe("shared sessions");
      expect(await leadsTo(database.url, db)).toBe("the server");
      await db.close();
      await pooler.stop();
      await database.drop();
    });

    describe("a Prometheus that scrapes the service", () => {
      let service: WholeService;
      let url: string;
      let stop: () => Promise<unknown>;

      beforeAll(async () => {
        service = await startWholeService({
          chains: [{ chain_id: 8453, rpc_urls: ["http://127.0.0.1:1"] }],
          env: { VAULTOPS_ADMIN__TOKEN: TOKEN },
        });
        const settings = parse(await readFile(join(PROMETHEUS, "prometheus.yaml"), "utf8"));
        settings.global = { scrape_interval: "1s", evaluation_interval: "1s" };
        settings.scrape_configs[0].static_configs = [{ targets: [new URL(service.adminUrl).host] }];
        await writeFile(join(home, "admin_token"), TOKEN);
        settings.scrape_configs[0].authorization.credentials_file = join(home, "admin_token");
        await writeFile(join(home, "prometheus.yaml"), JSON.stringify(settings));
        await cp(join(PROMETHEUS, "rules.yaml"), join(home, "rules.yaml"));
        const prometheus = await debianProgram("prometheus");
        const port = await freePort();
        url = `http://127.0.0.1:${port}`;
        const options = [
          `--config.file=${join(home, "prometheus.yaml")}`,
          `--storage.tsdb.path=${join(home, "data")}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ];
        const child = spawn(prometheus, options, { stdio: "ignore" });
        const ended = once(child, "exit");
        stop = () => {
          child.kill("SIGKILL");
          return ended;
        };
      });
      afterAll(async () => {
        await stop();
        await service.stop();
      });

      // biome-ignore lint/suspicious/noExplicitAny: whatever Prometheus answers is held to what is expected of it.
      const ask = async (path: string): Promise<any> => await (await fetch(`${url}${path}`)).json();
      const evaluated = (expression: string) => ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);

      it("evaluates every expression of a rule and a panel", async () => {
        const isScraped = async () =>
          (await evaluated("vaultops_readiness_state == 0")).data.result.length > 0;
        await expect.poll(() => isScraped().catch(() => false)).toBe(true);
        for (const { place, text } of readExpressions()) {
          const answer = await evaluated(text);
          expect(answer, `${place}: ${answer.error}`).toMatchObject({
            status: "success",
            data: { resultType: "vector" },
          });
        }
        expect((await evaluated('vaultops_audit_entries{job="vaultops"}')).data.result).toHaveLength(1);
      });

      it("evaluates the rules without a fault", async () => {
        const rules = async () =>
          (await ask("/api/v1/rules")).data.groups.flatMap((group: { rules: object[] }) => group.rules);
        const health = async () => new Set((await rules()).map((rule: { health: string }) => rule.health));
        await expect.poll(health).toEqual(new Set(["ok"]));
        expect((await rules()).length).toBeGreaterThan(20);
      });
    });
  },
);
