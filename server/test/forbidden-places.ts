// Where nothing that a user names may lead: URLs that say so themselves, and names that hide it until they are resolved. One list for
// whatever calls out.
import type { LookupFunction } from "node:net";

export const FORBIDDEN_URLS = [
  "http://127.0.0.1/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://017700000001/",
  "http://127.1/",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://169.254.169.254/latest/meta-data",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://127.0.0.1./",
  "https://user:password@hooks.example/",
  "ftp://hooks.example/",
  "file:///etc/passwd",
] as const;

/** What each resolves to. */
export const HIDING_NAMES = {
  "loopback.example": ["127.0.0.1"],
  "private.example": ["10.1.2.3"],
  "metadata.example": ["169.254.169.254"],
  "shared.example": ["100.64.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "nat64.example": ["64:ff9b::a9fe:a9fe"],
  "local6.example": ["fd00::1"],
  "link6.example": ["fe80::1"],
  "loopback6.example": ["::1"],
  "one-of-several.example": ["93.184.216.34", "192.168.0.1"],
  "none.example": [],
} as const satisfies Record<string, readonly string[]>;

/** Becomes private when it has been looked at: what was public when it was saved is asked for again at every connection. */
export const REBINDING_NAME = "rebinding.example";

export interface FakeResolver {
  lookup: LookupFunction;
  /** The names that were asked for, in order. */
  lookups: string[];
}

/** Knows the names above. */
export function startFakeResolver(): FakeResolver {
  const lookups: string[] = [];
  const known: Record<string, readonly string[]> = { ...HIDING_NAMES, [REBINDING_NAME]: ["10.0.0.1"] };
  const lookup = (hostname: string, _options: object, callback: (error: null, found: object[]) => void) => {
    lookups.push(hostname);
    const addresses = known[hostname] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { lookup: lookup as unknown as LookupFunction, lookups };
}
