// A chain with vaults of some of the families that curators run, whose past holds as many events as asked for: flows of users, and what
// governance and allocators do, of which no family has to ask the node for more.
import { type Address, numberToHex, toEventSelector, zeroAddress } from "viem";
import { addressOf, demoAccounts } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain } from "../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../demo/src/deploy.ts";
import { createEulerEarn, deployEuler } from "../../demo/src/families/euler-earn.ts";
import { createLagoonVault, deployLagoon } from "../../demo/src/families/lagoon.ts";
import { createMetaMorpho, deployMorpho } from "../../demo/src/families/metamorpho.ts";
import { createMorphoVault, deployMorphoSystem } from "../../demo/src/families/morpho-vault-v2.ts";
import { createYearnVault, deployYearnFactory } from "../../demo/src/families/yearn-v3.ts";
import type { SourceSettings } from "../../server/src/ingest/block/settings.ts";
import type { CuratedFamily } from "../../server/test/simulation/every-family.ts";
import { enableBursts, packed, send } from "./busy-chain.ts";

export interface MixedChain {
  anvil: Anvil;
  sources: readonly SourceSettings[];
}

const VAULTS = 20;
/** So many vaults have eight logs each in a block. */
const VAULTS_A_BLOCK = 5;

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const DEPOSIT = toEventSelector("Deposit(address,address,uint256,uint256)");
const WITHDRAW = toEventSelector("Withdraw(address,address,address,uint256,uint256)");
const ALLOCATE = toEventSelector("Allocate(address,address,uint256,bytes32[],int256)");
const MAX_CAP = toEventSelector("MaxCapUpdated(uint256,uint256)");
const DEBT = toEventSelector("DebtUpdated(address,uint256,uint256)");

export async function startMixedChain(
  events: number,
  families: readonly CuratedFamily[],
): Promise<MixedChain> {
  const anvil = await startAnvil({ persistedStates: 0 });
  const chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const vaults: { family: CuratedFamily; vault: Address }[] = [];
  const sources: SourceSettings[] = [];
  const makers = await Promise.all(
    families.map(async (family) => ({ family, ...(await makerOf(chain, family, asset)) })),
  );
  for (const { family, factory } of makers) sources.push({ family, factory, vaults: [] });
  for (let index = 0; index < VAULTS; index += 1) {
    const { family, make } = makers[index % makers.length]!;
    vaults.push({ family, vault: await make(`V${index}`) });
  }
  const burst = await enableBursts(
    chain,
    vaults.map(({ vault }) => vault),
  );
  await chain.client.setAutomine(false);
  const users = demoAccounts().slice(10);
  for (let made = 0, nth = 0; made < events; made += VAULTS_A_BLOCK * 8, nth += 1) {
    const bursts = Array.from({ length: VAULTS_A_BLOCK }, (_, index) => {
      const { family, vault } = vaults[(nth * VAULTS_A_BLOCK + index) % VAULTS]!;
      const { address: user } = users[(nth + index) % users.length]!;
      return burst(vault, user, [...flows(user, nth), ...governance(family, nth)]);
    });
    await send(anvil.rpcUrl, [...bursts, { method: "anvil_mine", params: [numberToHex(1)] }]);
  }
  return { anvil, sources };
}

async function makerOf(
  chain: DemoChain,
  family: CuratedFamily,
  asset: Address,
): Promise<{ factory: Address; make(name: string): Promise<Address> }> {
  const named = (name: string) => ({ asset, name, symbol: name });
  switch (family) {
    case "morpho_vault_v2": {
      const system = await deployMorphoSystem(chain);
      const make = async (name: string) => (await createMorphoVault(chain, system, named(name))).vault;
      return { factory: system.factory, make };
    }
    case "metamorpho": {
      const system = await deployMorpho(chain);
      return { factory: system.factory, make: (name) => createMetaMorpho(chain, system, named(name)) };
    }
    case "euler_earn": {
      const system = await deployEuler(chain);
      return { factory: system.factory, make: (name) => createEulerEarn(chain, system, named(name)) };
    }
    case "lagoon": {
      const system = await deployLagoon(chain);
      const make = async (name: string) => (await createLagoonVault(chain, system, named(name))).vault;
      return { factory: system.factory, make };
    }
    case "yearn_v3": {
      const factory = await deployYearnFactory(chain);
      return { factory, make: async (name) => (await createYearnVault(chain, factory, named(name))).vault };
    }
  }
}

/** Three deposits or withdrawals, of two logs each. */
function flows(user: Address, nth: number): string[] {
  return [0, 1, 2].flatMap((index) => {
    const amount = nth * 1_000 + index + 1;
    return index === 2
      ? [
          packed([TRANSFER, user, zeroAddress], [amount]),
          packed([WITHDRAW, user, user, user], [amount, amount]),
        ]
      : [packed([TRANSFER, zeroAddress, user], [amount]), packed([DEPOSIT, user, user], [amount, amount])];
  });
}

/** Two logs more; of families whose events all leave something to ask for, one more flow. */
function governance(family: CuratedFamily, nth: number): string[] {
  const keeper = addressOf("secondaryManager");
  switch (family) {
    case "morpho_vault_v2":
      return [1, 2].map((each) => packed([ALLOCATE, keeper, keeper], [nth * 10 + each, 96, 0, 0]));
    case "lagoon":
      return [1, 2].map((each) => packed([MAX_CAP], [nth, nth + each]));
    case "yearn_v3":
      return [1, 2].map((each) => packed([DEBT, keeper], [nth, nth + each]));
    default:
      return flows(keeper, nth).slice(0, 2);
  }
}
