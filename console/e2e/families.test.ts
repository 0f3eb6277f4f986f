// The pages of vaults whose contracts have roles, caps and timelocks of their own, in a real browser against a whole service: one in the shape of
// MetaMorpho, whose curator is a Safe, and a Morpho Vault V2.
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accountAddress, addressOf, demoAccount } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine } from "../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../demo/src/deploy.ts";
import {
  createMarket,
  createMetaMorpho,
  deployMorpho,
  type LendingMarket,
} from "../../demo/src/families/metamorpho.ts";
import { createMorphoVault, deployMorphoSystem } from "../../demo/src/families/morpho-vault-v2.ts";
import { tokenCommand } from "../../server/src/cli/sign-in.ts";
import { builderChecksum } from "../../server/src/features/actions/formats/safe-builder.ts";
import { type Controllers, deployControllers, SAFE_ABI } from "../../server/test/controllers.ts";
import { freePort } from "../../server/test/free-port.ts";
import { startWholeService, type WholeService } from "../../server/test/whole-service.ts";
import { axeFindings } from "./axe.ts";
import { launchBrowser, openProfile } from "./browser.ts";
import { installWallet } from "./wallet.ts";

const CHAIN = 31337;
const DAY = 86_400;
/** Accounts of the demo: owners of the Safe, and who curates the Morpho Vault V2. */
const SIGNERS = [10, 11];
const CURATOR = 4;

let anvil: Anvil;
let chain: DemoChain;
let vault: Address;
let market: LendingMarket;
/** Not allowed yet. */
let other: LendingMarket;
let controllers: Controllers;
let safe: Address;
/** Owns the Safe, with two keys. */
let outer: Address;
let morphoVault: Address;
let service: WholeService;
let browser: Browser;

beforeAll(async () => {
  [anvil, browser] = await Promise.all([startAnvil({ chainId: CHAIN }), launchBrowser()]);
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const system = await deployMorpho(chain);
  market = await createMarket(chain, system, { loanToken: dollar, collateralToken: dollar, lltv: 1n });
  other = await createMarket(chain, system, { loanToken: dollar, collateralToken: dollar, lltv: 2n });
  vault = await createMetaMorpho(chain, system, {
    asset: dollar,
    name: "Steady Dollar",
    symbol: "stUSD",
    timelockSeconds: DAY,
  });
  controllers = await deployControllers(chain);
  outer = await controllers.deploySafe([accountAddress(12)]);
  safe = await controllers.deploySafe([...SIGNERS.map(accountAddress), outer], 2);
  await govern("setCurator", [safe]);
  await govern("submitCap", [market.params, 5_000_000_000n]);
  const names = { asset: dollar, name: "Second Dollar", symbol: "sdUSD" };
  const curator = accountAddress(CURATOR);
  ({ vault: morphoVault } = await createMorphoVault(chain, await deployMorphoSystem(chain), {
    ...names,
    curator,
  }));
  await mine(chain);
  service = await startWholeService({
    chains: [
      {
        chain_id: CHAIN,
        rpc_urls: [anvil.rpcUrl],
        confirmations: 1,
        sources: [
          { family: "metamorpho", vaults: [{ address: vault, start_block: 0 }] },
          { family: "morpho_vault_v2", vaults: [{ address: morphoVault, start_block: 0 }] },
        ],
      },
    ],
    env: { VAULTOPS_HTTP__PORT: String(await freePort()) },
  });
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await anvil?.stop();
});

const govern = (functionName: string, args: unknown[]) =>
  execute(chain, {
    contract: "MetaMorphoV1_1",
    address: vault,
    functionName,
    args,
    from: addressOf("primaryManager"),
  });

const token = (account: number) =>
  tokenCommand({ baseUrl: service.url, privateKey: demoAccount(account).privateKey });
const opened = (as: number) => openProfile(browser, { url: service.url, token }, { as });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 2, name, exact: true });
/** The chain goes on meanwhile. */
async function confirmed(page: Page): Promise<void> {
  const status = page.getByRole("heading", { level: 1 }).locator("xpath=..");
  await expect
    .poll(async () => {
      await mine(chain);
      return await status.getByText("Confirmed", { exact: true }).count();
    })
    .toBe(1);
}

it("shows its roles, the Safe behind one of them, and a submitted cap with its countdown", async () => {
  const record = async () => {
    const answer = await fetch(`${service.url}/api/v1/vaults/${CHAIN}/${vault}`, {
      headers: { authorization: `Bearer ${await token(0)}` },
    });
    return (await answer.json()) as { controllers?: unknown[]; pending_changes?: unknown[] };
  };
  await expect
    .poll(async () => {
      await mine(chain);
      const { controllers = [], pending_changes: changes = [] } = await record();
      return [controllers.length > 0, changes.length];
    })
    .toEqual([true, 1]);

  const { context, complaints } = await opened(0);
  const page = await context.newPage();
  await page.goto(`/vaults/${CHAIN}/${vault}`);
  await page.getByRole("heading", { level: 1, name: "Steady Dollar" }).waitFor();
  const panel = (title: string) =>
    page
      .locator("section")
      .filter({ has: page.getByRole("heading", { level: 2, name: title, exact: true }) });
  await panel("Roles").getByText("Curator", { exact: true }).waitFor();
  const behind = panel("Who stands behind the roles");
  await behind.getByText("2 of 3").waitFor();
  expect(await behind.textContent()).toContain("Safe");
  const pending = panel("Pending changes");
  await pending.getByText("submitCap").waitFor();
  expect(await pending.textContent()).toMatch(/5,?000,?000,?000/);
  await pending.locator("time").first().waitFor();
  expect(await axeFindings(page, "all")).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it("prepares for the Safe of an owner what has to wait: foretold at its execution, with hashes, file and checksum, and followed", async () => {
  const { context, complaints } = await opened(SIGNERS[0]!);
  const page = await context.newPage();
  await page.goto(`/vaults/${CHAIN}/${vault}/actions?action=submit_cap`);
  await page.getByRole("textbox", { name: "Market or strategy" }).fill(other.id);
  await page.getByRole("textbox", { name: /^New cap/ }).fill("1,000");
  await page.getByText("Who sends it").click();
  await page.getByLabel("Nonce of the Safe's transaction").fill("0");
  await page.getByRole("button", { name: "Prepare" }).click();
  await heading(page, "What it would do at once").waitFor();
  const later = page
    .locator("section")
    .filter({ has: heading(page, "What it would do once it is executed") });
  await later.getByText("The calls go through.").waitFor();
  await later.getByRole("list", { name: "Audit entries" }).getByText("Cap change").waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download for Safe" }).click(),
  ]);
  const written = JSON.parse(await readFile(await file.path(), "utf8"));
  const { checksum, ...meta } = written.meta;
  expect(checksum).toBe(builderChecksum({ ...written, meta }));
  expect(meta.createdFromSafeAddress).toBe(safe);
  const [{ to, value, data }] = written.transactions;
  const hashOf = (of: Address, target: Address, call: Hex) =>
    chain.client.readContract({
      ...{ abi: SAFE_ABI, address: of, functionName: "getTransactionHash" },
      args: [target, BigInt(value), call, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, 0n],
    }) as Promise<Hex>;
  const hash = await hashOf(safe, to, data);
  await page.getByText(hash, { exact: true }).waitFor();
  // What the owners of the Safe that owns it compare.
  await page.getByLabel("Nonce of the approving transaction").fill("0");
  const approval = encodeFunctionData({ abi: SAFE_ABI, functionName: "approveHash", args: [hash] });
  await page
    .getByRole("list", { name: "Owners that are Safes themselves" })
    .getByText(await hashOf(outer, safe, approval), { exact: true })
    .waitFor();
  expect(await axeFindings(page, "all")).toEqual([]);
  await controllers.execute(safe, { to, data }, SIGNERS.map(accountAddress));
  await confirmed(page);
  expect(complaints).toEqual([]);
  await context.close();
});

it("prepares, has a wallet sign, and follows an action of a Morpho Vault V2", async () => {
  const { context, complaints } = await opened(CURATOR);
  await installWallet(context, {
    ...{ name: "Outside Wallet", privateKey: demoAccount(CURATOR).privateKey },
    ...{ chainId: CHAIN, rpcUrl: anvil.rpcUrl, batches: true },
  });
  const page = await context.newPage();
  await page.goto(`/vaults/${CHAIN}/${morphoVault}/actions?action=submit_set_is_allocator`);
  await page.getByRole("textbox", { name: "Account" }).fill(accountAddress(13));
  await page.getByRole("combobox", { name: "Is an allocator" }).selectOption("true");
  await page.getByRole("button", { name: "Prepare" }).click();
  await page.getByRole("list", { name: "Audit entries" }).first().getByText("Timelock submit").waitFor();
  await page.getByRole("button", { name: "Sign with Outside Wallet" }).click();
  await confirmed(page);
  expect(complaints).toEqual([]);
  await context.close();
});
