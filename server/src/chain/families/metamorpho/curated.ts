// What MetaMorpho and Euler Earn are as families: vaults that a curator spreads over lines under caps, made by a factory. One decoder and one
// reader serve both; the kind of line and the shapes of the events about lines are told by each.
import type { Logger } from "pino";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { Access, Family, FamilyName } from "../family/family.ts";
import { errorTable } from "../family/reverts.ts";
import { describeVault, VIEWS } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { ERRORS } from "./actions.ts";
import { complete } from "./complete.ts";
import type { Decoder } from "./decode.ts";
import { orNobody } from "./events.ts";
import type { Lines } from "./lines.ts";
import { PublicAllocators } from "./public-allocators.ts";
import { type FoundLines, read } from "./read.ts";
import { track } from "./track.ts";

const MOST_REMEMBERED = 10_000;
const ACCESS = {
  owner: "primary",
  curator: "primary",
  allocator: "secondary",
  guardian: "secondary",
} as const satisfies Access;

export function curatedFamily(name: FamilyName, decoder: Decoder, lines: Lines, log: Logger): Family {
  const allocators = new PublicAllocators();
  const foundLines: FoundLines = new BoundedCache(MOST_REMEMBERED);
  return {
    name,
    topics: decoder.topics,
    functions: lines.calls,
    errors: errorTable(ERRORS),
    related: async () => ({ governor: null, oracles: [] }),
    discover: decoder.discover,
    decode: (each, directory) => decoder.decode(each, directory, log),
    complete: (client, decoded) => complete(client, lines.views, allocators, decoded),
    track,
    access: ACCESS,

    async describe(client, vault, at) {
      const description = await describeVault(client, vault.address, at);
      const batch = new ViewBatch();
      const owner = batch.add(vault.address, VIEWS.owner);
      await batch.run(client, at, { isForGood: true });
      const found = owner();
      const primary = vault.configuredPrimary ?? (found === null ? null : orNobody(found));
      return { ...description, managers: { primary, secondary: [] } };
    },

    read: (client, vaults, at, _requests, tracked) => read(lines, foundLines, client, vaults, at, tracked),
  };
}
