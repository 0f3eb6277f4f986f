// The family `morpho_vault_v2`: vaults of Morpho Vault V2, configured or announced by their factory, with the adapters that have timelocks of
// their own.
import type { Logger } from "pino";
import { zeroAddress } from "viem";
import type { Access, Family } from "../family/family.ts";
import { errorTable } from "../family/reverts.ts";
import { describeVault } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { ACTIONS, ERRORS } from "./actions.ts";
import { complete } from "./completing.ts";
import { decode, discover, TOPICS } from "./decode.ts";
import { FUNCTIONS } from "./functions.ts";
import { createReader } from "./read.ts";
import { track } from "./track.ts";
import { VAULT_VIEWS } from "./views.ts";

/** Who pays in, takes out or receives manages nothing. */
const ACCESS: Access = {
  owner: "primary",
  curator: "primary",
  allocator: "secondary",
  sentinel: "secondary",
};

export function morphoVaultV2Family(log: Logger): Family {
  return {
    name: "morpho_vault_v2",
    topics: TOPICS,
    functions: FUNCTIONS,
    actions: ACTIONS,
    errors: errorTable(ERRORS),
    access: ACCESS,
    related: async () => ({ governor: null, oracles: [] }),
    discover,
    decode: (each, directory) => decode(each, directory, log),
    complete,
    track,

    async describe(client, vault, at) {
      const description = { ...(await describeVault(client, vault.address, at)), share: null };
      const batch = new ViewBatch();
      const owner = batch.add(vault.address, VAULT_VIEWS.owner);
      await batch.run(client, at, { isForGood: true });
      const said = owner();
      const primary = vault.configuredPrimary ?? (said === zeroAddress ? null : said);
      return { ...description, managers: { primary, secondary: [] } };
    },

    read: createReader(),
  };
}
