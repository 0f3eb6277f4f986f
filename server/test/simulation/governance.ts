// What happens to the curated vaults of a simulated chain: their governance, their holders' deposits, their settlements, what the Safe and
// the timelock behind them do; drawn from a seed. Much of it reverts where it meets another state than it wants: that is part of it.
import { type Address, encodeFunctionData, type Hex, zeroAddress, zeroHash } from "viem";
import { accountAddress, addressOf } from "../../../demo/src/accounts.ts";
import { read } from "../../../demo/src/chain.ts";
import { artifactOf } from "../../../demo/src/compile.ts";
import { callOf, idData, marketData } from "../../../demo/src/families/morpho-vault-v2.ts";
import { SAFE_ABI } from "../controllers.ts";
import type { Dice } from "./dice.ts";
import {
  CONTRACTS,
  CURATED,
  type CuratedFamily,
  type EveryFamily,
  executed,
  heldBy,
  KEEPER,
  OWNER,
  type SentTransaction,
} from "./every-family.ts";

type Step = readonly [functionName: string, args: readonly unknown[], from?: Address];

const SENTINEL: Address = "0x0000000000000000000000000000000000000001";
const HOLDERS = [10, 11, 12].map(accountAddress);

export class Governance {
  readonly #world: EveryFamily;
  readonly #dice: Dice;

  constructor(world: EveryFamily, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /** Up to so many deeds, which stand in the next block. */
  async act(most: number): Promise<void> {
    for (let left = 1 + this.#dice.below(most); left > 0; left -= 1) await this.#do();
  }

  async #do(): Promise<void> {
    const kind = this.#dice.below(10);
    if (kind === 0) await this.#send(this.#ofSafe());
    else if (kind === 1) await this.#send(this.#ofTimelock());
    else if (kind < 4) await this.#deposit(this.#dice.pick(CURATED));
    else await this.#govern(this.#dice.pick(CURATED));
  }

  /** Something that takes effect whatever came before, at every vault: each is read again at the block in which it stands. */
  async touch(round: number): Promise<void> {
    for (const family of CURATED) {
      const holder = await this.#holder(family);
      if (family === "yearn_v3")
        await this.#call(family, "set_role", [accountAddress(13), BigInt(1 + (round % 2))], holder);
      else
        await this.#call(family, family === "lagoon" ? "updateName" : "setName", [`Name ${round}`], holder);
    }
  }

  async #govern(family: CuratedFamily): Promise<void> {
    const holder = await this.#holder(family);
    const [functionName, args, from] = this.#dice.pick(await this.#steps(family, holder));
    const by = from ?? (this.#dice.chance(0.85) ? holder : this.#someone());
    await this.#call(family, functionName, args, by);
  }

  async #steps(family: CuratedFamily, holder: Address): Promise<readonly Step[]> {
    switch (family) {
      case "morpho_vault_v2":
        return this.#morpho(holder);
      case "metamorpho":
      case "euler_earn":
        return this.#curated(family);
      case "lagoon":
        return this.#lagoon();
      case "yearn_v3":
        return this.#yearn();
    }
  }

  #morpho(holder: Address): readonly Step[] {
    const { adapters } = this.#world;
    const someone = this.#someone();
    const id = idData.adapter(this.#dice.pick(adapters));
    const waited: [string, readonly unknown[]] = this.#dice.pick([
      ["setIsAllocator", [someone, this.#dice.chance(0.5)]],
      ["addAdapter", [this.#dice.pick(adapters)]],
      ["removeAdapter", [this.#dice.pick(adapters)]],
      ["increaseAbsoluteCap", [id, this.#amount()]],
      ["increaseRelativeCap", [id, BigInt(this.#dice.below(10)) * 10n ** 17n]],
      ["setManagementFeeRecipient", [someone]],
      ["setPerformanceFeeRecipient", [someone]],
      ["setSendSharesGate", [zeroAddress]],
      ["increaseTimelock", [selectorOf(this.#world, "setIsAllocator"), BigInt(this.#dice.below(20))]],
      ["increaseTimelock", [selectorOf(this.#world, "addAdapter"), BigInt(this.#dice.below(20))]],
      ["decreaseTimelock", [selectorOf(this.#world, "addAdapter"), 0n]],
    ]);
    const data = callOf(this.#world.chain, "MorphoVaultV2", ...waited);
    return [
      ["submit", [data]],
      ["submit", [data]],
      ["submit", [data]],
      [waited[0], waited[1], someone],
      ["multicall", [[callOf(this.#world.chain, "MorphoVaultV2", "submit", [data]), data]]],
      ["revoke", [data]],
      ["setCurator", [this.#dice.chance(0.7) ? holder : someone]],
      ["setIsSentinel", [someone, this.#dice.chance(0.6)]],
      ["setOwner", [this.#owner()]],
      ["setSymbol", [`T${this.#dice.below(9)}`]],
      ["decreaseAbsoluteCap", [id, 0n]],
      ["allocate", [adapters[0], marketData(this.#world.markets[0]!.params), 10n]],
      ["accrueInterest", [], someone],
    ];
  }

  #curated(family: "metamorpho" | "euler_earn"): readonly Step[] {
    const { markets, strategies } = this.#world;
    const nth = this.#dice.below(2);
    const id = family === "metamorpho" ? markets[nth]!.id : strategies[nth]!;
    const line = family === "metamorpho" ? markets[nth]!.params : strategies[nth]!;
    const someone = this.#someone();
    return [
      ["submitCap", [line, this.#amount()]],
      ["submitCap", [line, this.#amount()]],
      ["acceptCap", [line], someone],
      ["acceptCap", [line], someone],
      ["submitCap", [line, 0n]],
      ["revokePendingCap", [id]],
      ["submitMarketRemoval", [line]],
      ["revokePendingMarketRemoval", [id]],
      ["setSupplyQueue", [this.#dice.chance(0.8) ? [id] : []]],
      ["updateWithdrawQueue", [this.#dice.chance(0.5) ? [0n] : [1n, 0n]]],
      ["setCurator", [someone]],
      ["setIsAllocator", [someone, this.#dice.chance(0.6)]],
      ["submitTimelock", [BigInt(this.#dice.pick([0, 0, 3, 86_400, 90_000]))]],
      ["acceptTimelock", [], someone],
      ["revokePendingTimelock", []],
      ["submitGuardian", [someone]],
      ["acceptGuardian", [], someone],
      ["revokePendingGuardian", []],
      ["setFeeRecipient", [someone]],
      ["setSymbol", [`C${this.#dice.below(9)}`]],
      ["transferOwnership", [this.#owner()]],
      ["acceptOwnership", [], this.#owner()],
    ];
  }

  async #lagoon(): Promise<readonly Step[]> {
    const someone = this.#someone();
    const [valuer, council, whitelister] = [
      addressOf("ppsKeeper"),
      addressOf("formerManager"),
      addressOf("otherManager"),
    ];
    const total = await this.#ask<bigint>("lagoon", "totalAssets");
    const holder = this.#dice.pick(HOLDERS);
    return [
      ["updateNewTotalAssets", [total], valuer],
      ["updateNewTotalAssets", [total], valuer],
      ["settleDeposit", [total], KEEPER],
      ["settleDeposit", [total], KEEPER],
      ["settleRedeem", [total], KEEPER],
      ["cancelRequestDeposit", [], holder],
      ["requestRedeem", [this.#amount(), holder, holder], holder],
      ["claimSharesOnBehalf", [HOLDERS], KEEPER],
      ["updateValuationManager", [this.#dice.chance(0.8) ? valuer : someone]],
      ["updateWhitelistManager", [this.#dice.chance(0.8) ? whitelister : someone]],
      ["updateFeeReceiver", [someone]],
      ["updateSuperOperator", [someone]],
      ["updateSecurityCouncil", [this.#dice.chance(0.8) ? council : someone]],
      ["updateActivated", [this.#dice.chance(0.5)], council],
      ["updateGuardrails", [{ upperRate: this.#amount(), lowerRate: 0n }], council],
      ["addToBlacklist", [[accountAddress(14)]], whitelister],
      ["revokeFromBlacklist", [[accountAddress(14)]], whitelister],
      ["updateMaxCap", [this.#amount()], KEEPER],
      ["updateSymbol", [`L${this.#dice.below(9)}`]],
      ["pause", []],
      ["unpause", []],
      ["unpause", []],
      ["transferOwnership", [this.#owner()]],
      ["acceptOwnership", [], this.#owner()],
    ];
  }

  #yearn(): readonly Step[] {
    const strategy = this.#dice.pick(this.#world.yearnStrategies);
    const someone = this.#someone();
    return [
      ["add_strategy", [strategy], KEEPER],
      ["add_strategy", [strategy], KEEPER],
      ["update_max_debt_for_strategy", [strategy, this.#amount()], KEEPER],
      ["update_debt", [strategy, this.#amount()], KEEPER],
      ["process_report", [strategy], KEEPER],
      ["revoke_strategy", [strategy], KEEPER],
      ["set_default_queue", [[strategy]], KEEPER],
      ["set_use_default_queue", [this.#dice.chance(0.5)], KEEPER],
      ["set_deposit_limit", [2n ** 100n], KEEPER],
      ["set_minimum_total_idle", [BigInt(this.#dice.below(9))], KEEPER],
      ["set_auto_allocate", [this.#dice.chance(0.3)], KEEPER],
      ["set_role", [someone, BigInt(this.#dice.below(2 ** 13))]],
      ["add_role", [someone, 2n ** BigInt(this.#dice.below(13))]],
      ["remove_role", [someone, 2n ** BigInt(this.#dice.below(13))]],
      ["setSymbol", [`Y${this.#dice.below(9)}`]],
      ["transfer_role_manager", [this.#owner()]],
      ["accept_role_manager", [], this.#owner()],
    ];
  }

  /** Who may do most with a vault now. */
  #holder(family: CuratedFamily): Promise<Address> {
    return this.#ask<Address>(family, family === "yearn_v3" ? "role_manager" : "owner");
  }

  async #deposit(family: CuratedFamily): Promise<void> {
    const { asset, vaults } = this.#world;
    const [from, assets] = [this.#dice.pick(HOLDERS), this.#amount()];
    const token = { contract: "Token", address: asset };
    await this.#send(heldBy(this.#world, from, { ...token, functionName: "mint", args: [from, assets] }));
    const approve = { ...token, functionName: "approve", args: [vaults[family], assets] };
    await this.#send(heldBy(this.#world, from, approve));
    if (family === "lagoon") await this.#call(family, "requestDeposit", [assets, from, from], from);
    else await this.#call(family, "deposit", [assets, from], from);
  }

  #ofSafe(): SentTransaction {
    const { safe, timelock } = this.#world;
    const account = accountAddress(14 + this.#dice.below(2));
    const [functionName, args]: readonly [string, readonly unknown[]] = this.#dice.pick([
      ["addOwnerWithThreshold", [account, 1n]],
      ["removeOwner", [SENTINEL, account, 1n]],
      ["enableModule", [timelock]],
      ["disableModule", [SENTINEL, timelock]],
    ]);
    const data = encodeFunctionData({ abi: SAFE_ABI, functionName, args });
    return { from: OWNER, to: safe, data: executed(OWNER, safe, data) };
  }

  #ofTimelock(): SentTransaction {
    const { timelock, vaults, controllers } = this.#world;
    const { abi } = controllers.artifacts.TimelockController!;
    const family = this.#dice.pick(["metamorpho", "euler_earn"] as const);
    const inner = encodeFunctionData({
      abi: artifactOf(this.#world.chain.artifacts, CONTRACTS[family]).abi,
      functionName: "revokePendingGuardian",
      args: [],
    });
    const call = [vaults[family], 0n, inner, zeroHash, zeroHash];
    const [functionName, args] = this.#dice.pick([
      ["schedule", [...call, 5n]],
      ["schedule", [...call, 5n]],
      ["execute", call],
    ] as const);
    return { from: OWNER, to: timelock, data: encodeFunctionData({ abi, functionName, args }) };
  }

  async #call(
    family: CuratedFamily,
    functionName: string,
    args: readonly unknown[],
    by: Address,
  ): Promise<void> {
    const [contract, address] = [CONTRACTS[family], this.#world.vaults[family]];
    // The timelock does only what was scheduled.
    const sender = by === this.#world.timelock ? OWNER : by;
    await this.#send(heldBy(this.#world, sender, { contract, address, functionName, args }));
  }

  async #send(tx: SentTransaction): Promise<void> {
    await this.#world.chain.client.sendUnsignedTransaction({ ...tx, gas: 2_000_000n });
  }

  #ask<T>(family: CuratedFamily, functionName: string): Promise<T> {
    const [contract, address] = [CONTRACTS[family], this.#world.vaults[family]];
    return read<T>(this.#world.chain, { contract, address, functionName });
  }

  #amount(): bigint {
    return BigInt(1 + this.#dice.below(1_000_000));
  }

  /** Who may come to own a vault. */
  #owner(): Address {
    return this.#dice.pick([OWNER, KEEPER, this.#world.safe]);
  }

  #someone(): Address {
    const { safe, timelock } = this.#world;
    return this.#dice.pick([OWNER, KEEPER, accountAddress(14), accountAddress(15), safe, timelock]);
  }
}

function selectorOf({ chain }: EveryFamily, functionName: string): Hex {
  const args = functionName === "setIsAllocator" ? [OWNER, true] : [OWNER];
  return callOf(chain, "MorphoVaultV2", functionName, args).slice(0, 10) as Hex;
}
