// The family `supervault`: trios of vault, strategy and escrow, announced by an aggregator.
import type { Logger } from "pino";
import { type Address, zeroAddress } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import type { Family } from "../family/family.ts";
import { errorTable } from "../family/reverts.ts";
import { describeVault } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { AGGREGATOR_VIEWS, GOVERNOR_VIEWS } from "./abi.ts";
import { ACTIONS, ERRORS } from "./actions.ts";
import { withExpiration, withShares } from "./completing.ts";
import { decode, discover, TOPICS } from "./decode.ts";
import { concernsAll, oraclesNamed } from "./governor.ts";
import { withManagers } from "./managers.ts";
import { read } from "./read.ts";
import { completeRejections } from "./rejections.ts";

export function supervaultFamily(log: Logger): Family {
  return {
    name: "supervault",
    topics: TOPICS,
    actions: ACTIONS,
    errors: errorTable(ERRORS),

    async related(client, source, at) {
      const first = new ViewBatch();
      const governor = first.add(source.address, AGGREGATOR_VIEWS.superGovernor);
      await first.run(client, at, { isForGood: true });
      const governorAddress = governor();
      if (governorAddress === null) {
        const hasCode = (await client.getCode(source.address, at)) !== "0x";
        log.warn(
          { aggregator: source.address },
          hasCode
            ? "the aggregator names no governor: its and the oracle's events are not followed; compare the address with the published one"
            : "no contract at the aggregator's address: none of its vaults will be found; compare chain and address with the published ones",
        );
        return { governor: null, oracles: [] };
      }
      return { governor: governorAddress, oracles: await oraclesAt(client, governorAddress, at) };
    },

    async oraclesAt(client, source, at) {
      const batch = new ViewBatch();
      const governor = batch.add(source.address, AGGREGATOR_VIEWS.superGovernor);
      await batch.run(client, at);
      const address = governor();
      return address === null ? [] : await oraclesAt(client, address, at);
    },
    oraclesNamed,
    concernsAll,

    discover,
    decode: (each, directory) => decode(each, directory, log),

    async complete(client, decoded, directory) {
      const refused = await completeRejections(client, decoded, directory);
      return await Promise.all(
        decoded.map(async (each) => {
          switch (each.needs) {
            case "strategy":
            case "price":
              return refused.get(each) ?? each;
            case "managers":
              return await withManagers(client, each, decoded, log);
            case "expiration":
              return await withExpiration(client, each);
            case "shares":
              return withShares(each, decoded);
            case "state":
            case null:
              return each;
          }
        }),
      );
    },

    async describe(client, vault, at) {
      const description = { ...(await describeVault(client, vault.address, at)), share: null };
      const batch = new ViewBatch();
      const strategy = vault.strategy ?? zeroAddress;
      const primary = batch.add(vault.source.address, AGGREGATOR_VIEWS.getMainManager, strategy);
      const secondary = batch.add(vault.source.address, AGGREGATOR_VIEWS.getSecondaryManagers, strategy);
      await batch.run(client, at, { isForGood: true });
      return { ...description, managers: { primary: primary(), secondary: [...(secondary() ?? [])] } };
    },

    read,
  };
}

/** The price oracle that the governor names at that block. */
async function oraclesAt(client: ChainClient, governor: Address, at: BlockRef): Promise<Address[]> {
  const batch = new ViewBatch();
  const oracle = batch.add(governor, GOVERNOR_VIEWS.getActivePPSOracle);
  await batch.run(client, at, { isForGood: true });
  const address = oracle();
  return address === null || address === zeroAddress ? [] : [address];
}
