// The family `supervault`: trios of vault, strategy and escrow, announced by an aggregator.
import type { Logger } from "pino";
import { zeroAddress } from "viem";
import type { Family } from "../family.ts";
import { describeVault } from "../vault-views.ts";
import { ViewBatch } from "../view.ts";
import { AGGREGATOR_VIEWS, GOVERNOR_VIEWS } from "./abi.ts";
import { decode, discover, TOPICS } from "./decode.ts";
import { withManagers } from "./managers.ts";
import { read } from "./read.ts";
import { assignStrategies } from "./rejections.ts";

export function supervaultFamily(log: Logger): Family {
  return {
    name: "supervault",
    topics: TOPICS,

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
            : "no contract stands at the aggregator's address: no vault of it will be found; compare chain and address with the published ones",
        );
        return { governor: null, oracle: null };
      }
      const second = new ViewBatch();
      const oracle = second.add(governorAddress, GOVERNOR_VIEWS.getActivePPSOracle);
      await second.run(client, at, { isForGood: true });
      const oracleAddress = oracle();
      return { governor: governorAddress, oracle: oracleAddress === zeroAddress ? null : oracleAddress };
    },

    discover,
    decode: (each, directory) => decode(each, directory, log),

    async complete(client, decoded, directory) {
      const nameless = decoded.filter((each) => each.needs === "strategy");
      const assigned = await assignStrategies(client, nameless, directory);
      return await Promise.all(
        decoded.map(async (each) => {
          if (each.needs === "strategy") return assigned[nameless.indexOf(each)]!;
          return each.needs === "managers" ? await withManagers(client, each, decoded, log) : each;
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
