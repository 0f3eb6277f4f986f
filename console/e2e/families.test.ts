// The page of a vault whose contract has roles, caps and a timelock of its own, in a real browser against a whole service: a vault in the shape
// of MetaMorpho, whose curator is a Safe.
import type { Browser } from "playwright-core";
import type { Address } from "viem";
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
import { tokenCommand } from "../../server/src/cli/sign-in.ts";
import { deployControllers } from "../../server/test/controllers.ts";
import { freePort } from "../../server/test/free-port.ts";
import { startWholeService, type WholeService } from "../../server/test/whole-service.ts";
import { axeFindings } from "./axe.ts";
import { launchBrowser, openProfile } from "./browser.ts";

const CHAIN = 31337;
const DAY = 86_400;

let anvil: Anvil;
let chain: DemoChain;
let vault: Address;
let market: LendingMarket;
let service: WholeService;
let browser: Browser;

beforeAll(async () => {
  [anvil, browser] = await Promise.all([startAnvil({ chainId: CHAIN }), launchBrowser()]);
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const system = await deployMorpho(chain);
  market = await createMarket(chain, system, { loanToken: dollar, collateralToken: dollar, lltv: 1n });
  vault = await createMetaMorpho(chain, system, {
    asset: dollar,
    name: "Steady Dollar",
    symbol: "stUSD",
    timelockSeconds: DAY,
  });
  const { deploySafe } = await deployControllers(chain);
  const safe = await deploySafe([accountAddress(10), accountAddress(11), accountAddress(12)] as Address[], 2);
  await govern("setCurator", [safe]);
  await govern("submitCap", [market.params, 5_000_000_000n]);
  await mine(chain);
  service = await startWholeService({
    chains: [
      {
        chain_id: CHAIN,
        rpc_urls: [anvil.rpcUrl],
        confirmations: 1,
        sources: [{ family: "metamorpho", vaults: [{ address: vault, start_block: 0 }] }],
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

it("shows its roles, the Safe behind one of them, and a submitted cap with its countdown", async () => {
  const token = (account: number) =>
    tokenCommand({ baseUrl: service.url, privateKey: demoAccount(account).privateKey });
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

  const { context, complaints } = await openProfile(browser, { url: service.url, token }, { as: 0 });
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
