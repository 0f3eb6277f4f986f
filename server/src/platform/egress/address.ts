// Which addresses the service may call on a user's word: public unicast ones, judged on the address itself and on an IPv4 address that
// an IPv6 one stands for. After the IANA special-purpose registries (RFC 6890 and what was added since).
import { BlockList, isIP } from "node:net";

/** Decides by address. `allowedNetworks` (CIDR) are let through although they are not public. */
export class AddressRule {
  readonly #allowed = new BlockList();
  #hasAllowed = false;

  constructor(allowedNetworks: readonly string[] = []) {
    for (const network of allowedNetworks) {
      const [address = "", prefix] = network.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      this.#allowed.addSubnet(
        address,
        prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix),
        family,
      );
      this.#hasAllowed = true;
    }
  }

  /** Whether the address, an IP literal, may be connected to. */
  permits(address: string): boolean {
    const bare = address.split("%", 1)[0] ?? address;
    const version = isIP(bare);
    if (version === 0) return false;
    if (this.#isAllowed(bare)) return true;
    if (version === 4) return !NOT_PUBLIC_V4.check(bare, "ipv4");
    const embedded = embeddedV4(bare);
    if (embedded !== null) return this.#isAllowed(embedded) || !NOT_PUBLIC_V4.check(embedded, "ipv4");
    return GLOBAL_V6.check(bare, "ipv6") && !NOT_PUBLIC_V6.check(bare, "ipv6");
  }

  #isAllowed(address: string): boolean {
    return this.#hasAllowed && this.#allowed.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }
}

const NOT_PUBLIC_V4 = blockList("ipv4", [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared, carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, metadata services
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
]);

/** The only part of IPv6 that is assigned as global unicast … */
const GLOBAL_V6 = blockList("ipv6", ["2000::/3"]);
/** … and what within it is not for reaching hosts. */
const NOT_PUBLIC_V6 = blockList("ipv6", [
  "2001::/23", // protocol assignments, Teredo
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which wraps any IPv4 address
  "3fff::/20", // documentation
]);

/** IPv4-mapped (::ffff:0:0/96) and the well-known NAT64 prefix (64:ff9b::/96): what is reached is the IPv4 address in them. */
const EMBEDDING = blockList("ipv6", ["::ffff:0:0/96", "64:ff9b::/96"]);

function embeddedV4(address: string): string | null {
  if (!EMBEDDING.check(address, "ipv6")) return null;
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  // The URL parser writes every IPv6 address in its short form, so the last two groups stand at the end.
  const groups = (URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? "").split(":");
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function blockList(family: "ipv4" | "ipv6", networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
