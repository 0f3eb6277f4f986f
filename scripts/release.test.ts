// What a release is described by, and the workflow that sends it out. That two builds are the same to the byte, and the image made of them, is
// in deploy/image.test.ts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { type Bill, checkLicences, imageProject, settledBill } from "./release-parts.ts";
import { root } from "./steps.ts";

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const bill = (licence?: object): Bill => ({
  serialNumber: "urn:uuid:1",
  metadata: { timestamp: "2026-11-29T00:00:00Z", tools: [] },
  components: [{ name: "one", version: "1.0.0", ...(licence && { licenses: [licence] }) }],
});

it("the image installs the versions that were tested, and nothing that the service does without", () => {
  const manifest = { name: "vaultops", version: "9.9.9", dependencies: { pg: "8.23.1" } };
  const { manifest: project, lock: made } = imageProject(
    [{ file: "vaultops-9.9.9.tgz", manifest, bytes: Buffer.from("packed") }],
    lock.packages,
  );
  expect(project.dependencies).toEqual({ vaultops: "file:vaultops-9.9.9.tgz" });
  const packages = made.packages as Record<string, { version?: string; dev?: boolean; integrity?: string }>;
  expect(packages["node_modules/vaultops"]?.integrity).toMatch(/^sha512-/);
  const names = Object.keys(packages).filter((path) => path !== "" && path !== "node_modules/vaultops");
  expect(names).toContain("node_modules/pg");
  for (const path of names) expect(packages[path]?.version).toBe(lock.packages[path].version);
  for (const absent of ["typescript", "vitest", "solc", "@foundry-rs/anvil", "react"])
    expect(names).not.toContain(`node_modules/${absent}`);
  expect(Object.values(packages).filter((each) => each.dev)).toEqual([]);
});

it("the list of what is in it is the same whenever it is made", () => {
  const later = {
    ...bill(),
    serialNumber: "urn:uuid:2",
    metadata: { timestamp: "2027-01-01T00:00:00Z", tools: [] },
  };
  expect(settledBill(bill())).toEqual(settledBill(later));
  expect(settledBill(bill()).serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(settledBill(bill({ license: { id: "MIT" } })).serialNumber).not.toBe(
    settledBill(bill()).serialNumber,
  );
});

it("a package under a licence that nobody has judged, or under none, stops the release", () => {
  for (const licence of [
    { license: { id: "MIT" } },
    { expression: "MIT OR CC0-1.0" },
    { license: { name: "ISC" } },
  ])
    expect(() => checkLicences(bill(licence))).not.toThrow();
  expect(() => checkLicences(bill({ license: { id: "AGPL-3.0-only" } }))).toThrow(/one 1\.0\.0/);
  expect(() => checkLicences(bill())).toThrow(/one 1\.0\.0/);
});

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}
interface Job {
  if?: string;
  permissions: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

it("the workflow runs scripts that are there, publishes nothing but a tag, and gives each job no more than it needs", () => {
  const { permissions, jobs } = parse(
    readFileSync(join(root, ".github/workflows/release.yml"), "utf8"),
  ) as Workflow;
  expect(permissions).toEqual({ contents: "read" });
  const { build, ...others } = jobs;
  expect(build?.permissions.contents).toBe("read");
  for (const job of Object.values(others)) expect(job.if).toBe("github.ref_type == 'tag'");
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  for (const [, path = ""] of commands.join("\n").matchAll(/\b((?:scripts|deploy)\/[\w./-]+)/g))
    expect(existsSync(join(root, path)), path).toBe(true);
  const image = jobs.image?.steps.find(({ uses }) => uses?.startsWith("docker/build-push-action"));
  expect(existsSync(join(root, String(image?.with?.file)))).toBe(true);
  for (const argument of String(image?.with?.["build-args"]).match(/^\w+/gm) ?? [])
    expect(readFileSync(join(root, "deploy/Containerfile"), "utf8")).toContain(`ARG ${argument}=`);
  for (const { steps } of Object.values(jobs))
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
});
