// What describes a release beside its packages, made from the lock file alone: how the image installs it, and what it consists of.
import { createHash } from "node:crypto";
import { type Locked, shippedPaths } from "./gen-notices.ts";

interface Manifest {
  name: string;
  version: string;
  license?: string;
  bin?: Record<string, string>;
  engines?: Record<string, string>;
  dependencies?: Record<string, string>;
}

export interface Packed {
  file: string;
  manifest: Manifest;
  bytes: Buffer;
}

/** A project that installs these packed files, and from the registry just what the repository's own lock file names. */
export function imageProject(packed: readonly Packed[], locked: Record<string, Locked>) {
  const [{ manifest: service }] = packed as [Packed];
  const dependencies = Object.fromEntries(
    packed.map(({ file, manifest }) => [manifest.name, `file:${file}`]),
  );
  const root = { name: "vaultops-image", version: service.version, license: "MIT", dependencies };
  const own = packed.map(({ file, manifest, bytes }) => [
    `node_modules/${manifest.name}`,
    {
      version: manifest.version,
      resolved: `file:${file}`,
      integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
      license: manifest.license,
      dependencies: manifest.dependencies,
      bin: manifest.bin,
      engines: manifest.engines,
    },
  ]);
  const others = shippedPaths(locked, ["server"]).map((path) => {
    // How the repository came by it says nothing of how the service does.
    const { dev, devOptional, peer, ...entry } = locked[path] as Locked & Record<string, unknown>;
    return [path, entry];
  });
  const packages = Object.fromEntries([["", root], ...[...own, ...others].sort(byPath)]);
  return {
    manifest: { private: true, ...root },
    lock: { name: root.name, version: root.version, lockfileVersion: 3, requires: true, packages },
  };
}

const byPath = ([one]: readonly unknown[], [other]: readonly unknown[]) =>
  String(one) < String(other) ? -1 : 1;

/** A list in CycloneDX's form, as far as it is read here. */
export interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string } & Record<string, unknown>;
  components: {
    name: string;
    version: string;
    licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
  }[];
}

/** Without the time at which it was made, and with a number made of what it says. */
export function settledBill({ serialNumber: _, ...bill }: Bill): Bill {
  const { timestamp: __, ...metadata } = bill.metadata;
  const settled = { ...bill, metadata };
  const hash = createHash("sha256").update(JSON.stringify(settled)).digest("hex");
  const [a, b, c, d, e] = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(13, 16),
    hash.slice(17, 20),
    hash.slice(20, 32),
  ];
  return { ...settled, serialNumber: `urn:uuid:${a}-${b}-5${c}-8${d}-${e}` };
}

/** Licences that ask for no more than their notice, which THIRD-PARTY-NOTICES gives. */
const TAKEN = [
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "OFL-1.1",
  "Unlicense",
  "PostgreSQL",
  "CC0-1.0",
];

/** @throws naming every package under a licence that nobody has judged yet */
export function checkLicences({ components }: Pick<Bill, "components">): void {
  const others = components.filter(({ licenses = [] }) => {
    const texts = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? "");
    const isTaken = (text: string) =>
      text
        .replaceAll(/[()]/g, "")
        .split(" OR ")
        .some((each) => TAKEN.includes(each.trim()));
    return texts.length === 0 || !texts.every(isTaken);
  });
  if (others.length === 0) return;
  const names = others.map(
    ({ name, version, licenses }) => `${name} ${version} ${JSON.stringify(licenses ?? null)}`,
  );
  throw new Error(`Under a licence that is not among those taken: ${names.join(", ")}.`);
}
