// What the deploy files name is there: the configuration in them loads, secrets are those that secrets.sh makes, commands, roles and ports are
// the service's, and every file that is mounted or listed stands where it is said to. The programs' own checks are in tools.test.ts.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import packageFile from "../package.json" with { type: "json" };
import { COMMANDS } from "../server/src/cli/commands.ts";
import { type Config, loadConfig } from "../server/src/config/load.ts";
import { ROLES } from "../server/src/service/start.ts";

const HERE = import.meta.dirname;
const read = (path: string) => readFileSync(join(HERE, path), "utf8");

let home: string;
let secrets: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "vaultops-deploy-"));
  secrets = join(home, "secrets");
  makeSecrets();
});
afterAll(() => rmSync(home, { recursive: true }));

const makeSecrets = () => execFileSync("sh", [join(HERE, "secrets.sh"), secrets]);
const secretNames = () => readdirSync(secrets);

describe("secrets.sh", () => {
  it("makes a folder that only its owner enters, and keeps what is there", () => {
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
    const before = secretNames().map((name) => readFileSync(join(secrets, name), "utf8"));
    makeSecrets();
    expect(secretNames().map((name) => readFileSync(join(secrets, name), "utf8"))).toEqual(before);
    expect(new Set(before).size).toBe(before.length);
  });
});

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as Compose;
  const config = () => load("compose/vaultops.yaml", "/run/secrets/");

  it("mounts files that are there, secrets that secrets.sh makes, volumes that it declares", () => {
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(file).toBe(`./secrets/${name}`);
      expect(secretNames()).toContain(name);
    }
    for (const service of Object.values(compose.services)) {
      for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret);
      for (const [source = ""] of (service.volumes ?? []).map((volume) => volume.split(":")))
        if (source.startsWith("./")) expect(existsSync(join(HERE, source)), source).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  it("runs every role, two of the API, by commands that there are; each reads its secrets alone", () => {
    const ours = Object.values(compose.services).filter(({ image }) => image.includes("VAULTOPS_IMAGE"));
    const roles = ours.flatMap((service) => rolesOf(service.command ?? []));
    expect(roles.sort()).toEqual(["api", "api", "indexer", "worker"]);
    for (const service of ours) {
      const named = JSON.stringify([service.environment, read("compose/vaultops.yaml")]);
      for (const secret of [
        "admin_token",
        "database_url",
        "database_listen_url",
        "database_owner_url",
        "secrets_key",
      ])
        expect(service.secrets?.includes(secret), secret).toBe(named.includes(`/run/secrets/${secret}`));
      expect(service).toMatchObject({ read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"] });
    }
  });

  it("has a configuration that loads, and that its migration's owner goes with", () => {
    const { database, auth } = config();
    expect(database).toMatchObject({ url: expect.stringContaining("vaultops_app"), owner_url: null });
    expect(auth.embedded.enabled).toBe(true);
    expect(config().admin.token).toMatch(/^[0-9a-f]{48}$/);
    const { environment = {} } = compose.services.migrate ?? {};
    const owner = Object.entries(environment).map(([name, value]) => [
      name,
      value.replace("/run/secrets", secrets),
    ]);
    const migrating = load("compose/vaultops.yaml", "/run/secrets/", Object.fromEntries(owner));
    expect(migrating.database.owner_url).toContain("vaultops_owner");
  });

  it("the pooler stands between the service and PostgreSQL, and the listener's way leads past it", () => {
    const ini = read("compose/pgbouncer.ini");
    const { database } = config();
    const [url, listenUrl] = [new URL(database.url ?? ""), new URL(database.listen_url ?? "")];
    expect(ini).toMatch(new RegExp(`^listen_port = ${url.port}$`, "m"));
    expect(ini).toContain(
      `${url.pathname.slice(1)} = host=${listenUrl.hostname} port=${listenUrl.port} dbname=${listenUrl.pathname.slice(1)}`,
    );
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining([url.hostname, listenUrl.hostname]));
    expect(readFileSync(join(secrets, "pgbouncer_users"), "utf8")).toBe(
      `"${url.username}" "${url.password}"\n`,
    );
    expect([url.username, url.password]).toEqual([listenUrl.username, listenUrl.password]);
  });

  it("the proxy, the scrape and the trusted network lead to where the processes listen", () => {
    const { http, admin } = config();
    const names = Object.keys(compose.services);
    const upstream = [...read("compose/nginx.conf").matchAll(/server (\S+):(\d+) /g)];
    expect(upstream.map(([, name, port]) => [name, Number(port)])).toEqual([
      ["api-1", http.port],
      ["api-2", http.port],
    ]);
    const { scrape_configs } = parse(read("prometheus/prometheus.yaml"));
    const targets: string[] = scrape_configs[0].static_configs[0].targets;
    expect(targets).toEqual(["api-1", "api-2", "indexer", "worker"].map((name) => `${name}:${admin.port}`));
    expect(names).toEqual(expect.arrayContaining(targets.map((target) => target.split(":")[0])));
    const [network] = Object.values(compose.networks);
    expect(http.trusted_proxies).toEqual(network?.ipam.config.map(({ subnet }) => subnet));
  });
});

describe("compose.single.yaml", () => {
  it("starts every role on the example's configuration, reachable from outside the container", () => {
    const { services } = parse(read("compose.single.yaml")) as Compose;
    const { command = [], environment = {} } = services.vaultops ?? {};
    expect(rolesOf(command)).toEqual(["api", "indexer", "worker"]);
    const config = load("../config.example.yaml", "/run/secrets/", environment);
    expect(config.http).toMatchObject({ host: "0.0.0.0", port: 8080 });
    expect(config.admin.port).toBe(9090);
  });
});

describe("kubernetes/", () => {
  const { resources, configMapGenerator, images } = parse(read("kubernetes/kustomization.yaml"));
  const objects = (resources as string[]).flatMap((name) =>
    parseAllDocuments(read(`kubernetes/${name}`)).map((document) => document.toJS() as KubernetesObject),
  );
  const ofKind = (kind: string) => objects.filter((each) => each.kind === kind);
  const workloads = [...ofKind("Deployment"), ...ofKind("Job")];

  it("lists every file in the folder", () => {
    const listed = [...resources, ...configMapGenerator[0].files, "kustomization.yaml"].sort();
    expect(readdirSync(join(HERE, "kubernetes")).sort()).toEqual(listed);
  });

  it("has a Deployment and a disruption budget for each role, and a migration", () => {
    const roles = ofKind("Deployment").flatMap((each) => rolesOf(podOf(each).containers[0]?.args ?? []));
    expect(roles.sort()).toEqual([...ROLES].sort());
    for (const { spec } of [...ofKind("PodDisruptionBudget"), ...ofKind("Service")]) {
      const labels = spec.selector.matchLabels ?? spec.selector;
      const chosen = ofKind("Deployment").filter((each) =>
        Object.entries(labels).every(([label, value]) => each.spec.template.metadata.labels[label] === value),
      );
      expect(chosen).toHaveLength(1);
    }
    expect(ofKind("PodDisruptionBudget")).toHaveLength(ROLES.length);
    expect(podOf(ofKind("Job")[0]!).containers[0]?.args?.[0]).toBe("migrate");
  });

  it("is admitted under the restricted standard: no root, no capability, nothing written but volumes", () => {
    for (const workload of workloads) {
      const pod = podOf(workload);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(pod.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  it("has a configuration that loads from the secrets that it names, the owner's for the migration alone", () => {
    for (const workload of workloads) {
      const { volumes, containers } = podOf(workload);
      const keys = volumes.find(({ name }) => name === "secrets")?.secret?.items.map(({ key }) => key) ?? [];
      expect(secretNames()).toEqual(expect.arrayContaining(keys));
      expect(keys.includes("database_owner_url")).toBe(workload.kind === "Job");
      const env = Object.fromEntries(
        (containers[0]?.env ?? []).map(({ name, value }) => [
          name,
          value.replace("/run/secrets/vaultops", secrets),
        ]),
      );
      const config = load("kubernetes/vaultops.yaml", "/run/secrets/vaultops/", env);
      expect(config.database.owner_url !== null).toBe(workload.kind === "Job");
      for (const port of containers[0]?.ports ?? [])
        expect(port.containerPort).toBe({ http: config.http.port, admin: config.admin.port }[port.name]);
    }
  });

  it("takes the image of this release", () => {
    for (const workload of workloads) expect(podOf(workload).containers[0]?.image).toBe(images[0].name);
    expect(images[0].newTag).toBe(packageFile.version);
  });
});

it("the unit starts the roles that there are", () => {
  const unit = read("systemd/vaultops.service");
  expect(/ROLES=(\S+)/.exec(unit.replaceAll(/^#.*$/gm, ""))?.[1]?.split(",")).toEqual(ROLES);
  expect(unit).toMatch(/^ExecStart=\/opt\/vaultops\/node_modules\/.bin\/vaultops start /m);
});

/** What a command line of the image runs; those of another command none. */
function rolesOf(command: readonly string[]): string[] {
  const [name, ...options] = command;
  expect(COMMANDS.map((each) => each.name)).toContain(name);
  if (name !== "start") return [];
  const at = options.indexOf("--role");
  const roles = at < 0 ? [...ROLES] : (options[at + 1] ?? "").split(",");
  expect(ROLES).toEqual(expect.arrayContaining(roles));
  return roles;
}

/** The configuration of a file here, its secrets taken from where secrets.sh has put them. */
function load(path: string, secretsFolder: string, env: Record<string, string> = {}): Config {
  const file = join(home, basename(path));
  writeFileSync(file, read(path).replaceAll(secretsFolder, `${secrets}/`));
  return loadConfig({ file, env });
}

const podOf = ({ spec }: KubernetesObject): Pod => spec.template.spec;

interface Compose {
  services: Record<
    string,
    {
      image: string;
      command?: string[];
      environment?: Record<string, string>;
      secrets?: string[];
      volumes?: string[];
    }
  >;
  networks: Record<string, { ipam: { config: { subnet: string }[] } }>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

interface Pod {
  securityContext: object;
  volumes: { name: string; secret?: { items: { key: string }[] } }[];
  containers: {
    image: string;
    args?: string[];
    env?: { name: string; value: string }[];
    ports?: { name: "http" | "admin"; containerPort: number }[];
    securityContext: object;
  }[];
}

interface KubernetesObject {
  kind: string;
  spec: {
    selector: { matchLabels?: Record<string, string> } & Record<string, string>;
    template: { metadata: { labels: Record<string, string> }; spec: Pod };
  };
}
