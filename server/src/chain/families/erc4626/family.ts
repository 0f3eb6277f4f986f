// The family `erc4626`: any ERC-4626 vault that the configuration names, ERC-7540 and ERC-7575 included.
import type { Logger } from "pino";
import type { Family } from "../family/family.ts";
import { describeVault, VIEWS } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { decode, TOPICS } from "./decode.ts";
import { manager, read } from "./read.ts";

export function erc4626Family(log: Logger): Family {
  return {
    name: "erc4626",
    topics: TOPICS,
    related: async () => ({ governor: null, oracles: [] }),
    discover: () => null,
    decode: (each, directory) => decode(each, directory, log),
    complete: async (_client, decoded) => [...decoded],

    async describe(client, vault, at) {
      const description = await describeVault(client, vault.address, at);
      const batch = new ViewBatch();
      const owner = batch.add(vault.address, VIEWS.owner);
      await batch.run(client, at, { isForGood: true });
      return {
        ...description,
        managers: { primary: manager(vault.configuredPrimary, owner()), secondary: [] },
      };
    },

    read,
  };
}
