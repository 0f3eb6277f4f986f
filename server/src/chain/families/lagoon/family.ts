// The family `lagoon`: asynchronous vaults by epochs (0.5.1, 0.6.0), whose assets a Safe holds and whose total assets somebody reports.
import type { Logger } from "pino";
import { type Address, zeroAddress } from "viem";
import type { Directory, KnownVault } from "../../directory.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import { type Family, NotAVault } from "../family/family.ts";
import { errorTable } from "../family/reverts.ts";
import { describeVault, VIEWS } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { ACTIONS, ERRORS } from "./actions.ts";
import { withAssets, withPendingShares } from "./completing.ts";
import { decode, TOPICS, VAULT_MADE } from "./decode.ts";
import { FUNCTIONS } from "./functions.ts";
import { ACCESS, createReader, managersOf } from "./read.ts";
import { track } from "./track.ts";
import { LAGOON_VIEWS } from "./views.ts";

export function lagoonFamily(log: Logger): Family {
  return {
    name: "lagoon",
    topics: TOPICS,
    functions: FUNCTIONS,
    actions: ACTIONS,
    errors: errorTable(ERRORS),
    access: ACCESS,
    related: async () => ({ governor: null, oracles: [] }),
    // A beacon's upgrade is that of all its vaults.
    concernsAll: (body) =>
      body.kind === "governance" && body.contract === "factory" && body.event === "Upgraded",
    discover,
    decode: (each, directory) => decode(each, directory, log),
    track,

    complete: (client, decoded) =>
      Promise.all(
        decoded.map((each) => {
          if (each.needs !== "state") return each;
          return each.body.kind === "governance"
            ? withPendingShares(client, each, decoded)
            : withAssets(client, each, decoded);
        }),
      ),

    async describe(client, vault, at) {
      const description = await describeVault(client, vault.address, at);
      const batch = new ViewBatch();
      const owner = batch.add(vault.address, VIEWS.owner);
      const seats = batch.add(vault.address, LAGOON_VIEWS.seats);
      await batch.run(client, at, { isForGood: true });
      if (seats() === null) throw new NotAVault(vault.address, "it names no safe");
      return { ...description, managers: managersOf({ vault, owner, seats }) };
    },

    read: createReader(),
  };
}

/** A vault that a factory of either kind made. */
function discover(log: RawLog, directory: Directory): KnownVault | null {
  const contract = directory.contract(log.address);
  if (contract?.role !== "factory" || contract.source.family !== "lagoon") return null;
  const rule = VAULT_MADE.get(log.topics[0] ?? "");
  const body = rule === undefined ? undefined : decodeLog(log, rule, "vault", null)?.body;
  if (body?.kind !== "governance") return null;
  return {
    family: "lagoon",
    address: body.args.proxy as Address,
    source: contract.source,
    strategy: null,
    escrow: null,
    // It is not announced; the vault's description tells.
    asset: zeroAddress,
    share: null,
    assetDecimals: null,
    shareDecimals: null,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
  };
}
