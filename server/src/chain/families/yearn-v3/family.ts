// The family `yearn_v3`: vaults that lend their assets to strategies as debt, governed by a role manager and fourteen role bits.
import type { Logger } from "pino";
import type { Address } from "viem";
import type { Directory, KnownVault } from "../../directory.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import { type Family, NotAVault } from "../family/family.ts";
import { describeVault } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { withBefore } from "./completing.ts";
import { decode, TOPICS, VAULT_MADE } from "./decode.ts";
import { FUNCTIONS } from "./functions.ts";
import { createReader, managersOf } from "./read.ts";
import { ACCESS } from "./roles.ts";
import { track } from "./track.ts";
import { YEARN_VIEWS } from "./views.ts";

export function yearnV3Family(log: Logger): Family {
  return {
    name: "yearn_v3",
    topics: TOPICS,
    functions: FUNCTIONS,
    access: ACCESS,
    related: async () => ({ governor: null, oracles: [] }),
    discover,
    decode: (each, directory) => decode(each, directory, log),
    track,

    complete: (client, decoded) =>
      Promise.all(decoded.map((each) => (each.needs === "state" ? withBefore(client, each, decoded) : each))),

    async describe(client, vault, at) {
      const description = await describeVault(client, vault.address, at);
      const batch = new ViewBatch();
      const roleManager = batch.add(vault.address, YEARN_VIEWS.roleManager);
      await batch.run(client, at, { isForGood: true });
      if (roleManager() === null) throw new NotAVault(vault.address, "it names no role manager");
      return { ...description, managers: managersOf({ vault, roleManager, roles: [] }) };
    },

    read: createReader(),
  };
}

function discover(log: RawLog, directory: Directory): KnownVault | null {
  const contract = directory.contract(log.address);
  if (contract?.role !== "factory" || contract.source.family !== "yearn_v3") return null;
  const body = log.topics[0] === VAULT_MADE.topic ? decodeLog(log, VAULT_MADE, "vault", null)?.body : null;
  if (body?.kind !== "governance") return null;
  return {
    family: "yearn_v3",
    address: body.args.vault_address as Address,
    source: contract.source,
    strategy: null,
    escrow: null,
    asset: body.args.asset as Address,
    share: null,
    assetDecimals: null,
    shareDecimals: null,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
  };
}
