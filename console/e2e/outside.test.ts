// Signing in from elsewhere, in a real browser against a whole service: with an OpenID Connect provider, with a Safe whose owner approves on
// a real chain, and with a token that something else left in the browser.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type Address, getAddress, type Hex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain } from "../../demo/src/chain.ts";
import { artifactOf } from "../../demo/src/compile.ts";
import { addChain, addVault, testAddress } from "../../server/test/chain-rows.ts";
import { compileForeignContracts } from "../../server/test/foreign-contracts.ts";
import { freePort } from "../../server/test/free-port.ts";
import { logInAt, type OidcProvider, startOidcProvider } from "../../server/test/oidc-provider.ts";
import { startWholeService, type WholeService } from "../../server/test/whole-service.ts";
import { axeFindings } from "./axe.ts";
import { launchBrowser, passTime } from "./browser.ts";

const CLIENT = "console-client";
const CHAIN = 31337;
const OTHER_CHAIN = 10;
const WALLET = testAddress(7);
const VAULT = testAddress(0x100);

let provider: OidcProvider;
let anvil: Anvil;
let chain: DemoChain;
let safe: Address;
let service: WholeService;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [provider, anvil, browser] = await Promise.all([
    startOidcProvider(),
    startAnvil({ chainId: CHAIN }),
    launchBrowser(),
  ]);
  chain = await connectChain(anvil.rpcUrl);
  safe = await deploySafe();
  const port = await freePort();
  const issuer = {
    issuer: provider.issuer,
    audience: [CLIENT],
    jwks_url: provider.jwksUrl,
    profile: "generic",
    console: { client_id: CLIENT, scope: "openid profile" },
  };
  const byPage = {
    issuer: "app.dynamic.xyz/1",
    audience: ["console"],
    jwks_url: provider.jwksUrl,
    profile: "dynamic",
    console: { sign_in_url: `${provider.issuer}/page` },
  };
  service = await startWholeService({
    chains: [{ chain_id: CHAIN, rpc_urls: [anvil.rpcUrl], confirmations: 1, sources: [] }],
    env: {
      VAULTOPS_HTTP__PORT: String(port),
      VAULTOPS_AUTH__ISSUERS: JSON.stringify([issuer, byPage]),
    },
    async fill(db) {
      await addChain(db, CHAIN, 1);
      await addChain(db, OTHER_CHAIN, 1);
      await addVault(db, CHAIN, VAULT);
      await addVault(db, OTHER_CHAIN, VAULT);
      // The configuration takes back what it does not name on a chain that is followed: the Safe may see, and manages nothing.
      await db.pool.query(
        "insert into vault_roles (chain_id, vault_address, wallet, role) values ($1, $2, $3, 'primary_manager')",
        [OTHER_CHAIN, VAULT, WALLET],
      );
      for (const chainId of [CHAIN, OTHER_CHAIN])
        await db.pool.query(
          "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
          [chainId, VAULT, safe, WALLET],
        );
    },
  });
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await anvil?.stop();
  await provider?.stop();
});
beforeEach(async () => {
  Object.assign(provider, {
    wallet: WALLET,
    tokenSeconds: 3_600,
    claims: {},
    onReturn: () => {},
    failure: null,
  });
  provider.asked.length = 0;
  context = await browser.newContext({ baseURL: service.url, locale: "en-GB", timezoneId: "UTC" });
  context.setDefaultTimeout(120_000);
  page = await context.newPage();
});
afterEach(() => context.close());

const manager = () => page.getByRole("complementary").getByText("Manager", { exact: true });
const signedIn = () => manager().waitFor();
/** The same where the page's time passes by the test alone. */
const signedInMeanwhile = (part = manager()) => passTime(page, async () => (await part.count()) === 1);
const begin = () =>
  page.getByRole("button", { name: `Continue with ${new URL(provider.issuer).host}` }).click();
const stored = () => page.evaluate(() => Object.keys(localStorage).sort());

async function logIn(path = "/sign-in"): Promise<void> {
  await page.goto(path);
  await begin();
  await page.getByRole("button", { name: "Log in" }).click();
}

async function deploySafe(): Promise<Address> {
  const { abi, bytecode } = artifactOf(await compileForeignContracts(), "SafeLike");
  const [from] = await chain.client.getAddresses();
  const hash = await chain.client.deployContract({ abi, bytecode, args: [from], account: from as Address });
  return getAddress((await chain.client.waitForTransactionReceipt({ hash })).contractAddress as Address);
}

describe("an OpenID Connect provider", () => {
  it("signs in by code and PKCE, goes on to the page that was asked for, and leaves nothing in address or storage", async () => {
    await logIn("/sign-in?next=%2F%3Fshow%3Dmine");
    await page.waitForURL("**/?show=mine");
    await signedIn();
    const [asked] = provider.asked;
    expect(Object.fromEntries(asked as URLSearchParams)).toMatchObject({
      response_type: "code",
      client_id: CLIENT,
      scope: "openid profile",
      redirect_uri: `${service.url}/sign-in`,
      code_challenge_method: "S256",
    });
    expect(asked?.get("prompt")).toBeNull();
    expect(await stored()).toEqual([
      "curator_address",
      "curator_is_manager",
      "curator_jwt",
      "curator_vaults",
    ]);
    expect(await page.evaluate(() => sessionStorage.getItem("curator_sign_in"))).toBeNull();
  });

  it("takes no answer to another question, of another provider, or with a token made for another sign-in", async () => {
    const wrongs: [string, Partial<OidcProvider>][] = [
      ["not started in this tab", { onReturn: (back) => back.searchParams.set("state", "another") }],
      [
        "not from the identity provider",
        { onReturn: (back) => back.searchParams.set("iss", "https://evil.example") },
      ],
      ["not from the identity provider", { onReturn: (back) => back.searchParams.delete("iss") }],
      ["does not belong to this sign-in", { claims: { nonce: "another" } }],
      ["refuses the code", { onReturn: (back) => back.searchParams.set("code", "another") }],
      [
        "access_denied",
        {
          onReturn: (back) => {
            back.searchParams.delete("code");
            back.searchParams.set("error", "access_denied");
          },
        },
      ],
    ];
    for (const [why, wrong] of wrongs) {
      Object.assign(provider, { onReturn: () => {}, claims: {} }, wrong);
      await context.clearCookies();
      await logIn();
      await page.getByRole("alert").getByText(why).waitFor();
      expect(await stored()).toEqual([]);
      expect(new URL(page.url()).search).toBe("");
    }
  });

  it("takes no answer that nobody here asked for", async () => {
    const { code } = await logInAt(provider, CLIENT, `${service.url}/sign-in`);
    await page.goto(`/sign-in?code=${code}&state=s&iss=${encodeURIComponent(provider.issuer)}`);
    await page.getByRole("alert").getByText("not started in this tab").waitFor();
    expect(await stored()).toEqual([]);
  });

  it("is asked once at the session's end, without a word to the person, and the page goes on", async () => {
    await page.clock.install();
    provider.tokenSeconds = 120;
    await logIn();
    await signedInMeanwhile();
    await passTime(page, async () => provider.asked.length === 2);
    expect(provider.asked[1]?.get("prompt")).toBe("none");
    await signedInMeanwhile();
  });

  it("that knows of nobody then leaves the person at the sign-in, with the reason, and is not asked again", async () => {
    await page.clock.install();
    provider.tokenSeconds = 120;
    await logIn();
    await signedInMeanwhile();
    await context.clearCookies();
    await passTime(page, async () => provider.asked.length === 2);
    const reason = page.getByRole("alert").getByText("Your session has ended");
    await passTime(page, async () => (await reason.count()) === 1);
    expect(await stored()).toEqual([]);
    await page.clock.runFor(600_000);
    expect(provider.asked.length).toBe(2);
  });

  it("is not asked over what somebody is typing: the page stays where it is", async () => {
    await page.clock.install();
    provider.tokenSeconds = 120;
    await logIn("/sign-in?next=%2Fwebhooks");
    const making = page.getByRole("button", { name: "New endpoint" }).first();
    await passTime(page, async () => (await making.count()) === 1);
    await making.click();
    const url = page.getByRole("dialog", { name: "New endpoint" }).getByRole("textbox", { name: "URL" });
    await url.fill("https://half.typed.example/");
    const reason = page.getByRole("alert").getByText("Your session has ended");
    await passTime(page, async () => (await reason.count()) === 1);
    await page.clock.runFor(600_000);
    expect(provider.asked.length).toBe(1);
    expect(new URL(page.url()).pathname).toBe("/webhooks");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("comes to a page without a fault that axe finds", async () => {
    await page.goto("/sign-in");
    await page.getByText("With a Safe").click();
    await page.getByLabel("Address of the Safe").waitFor();
    expect(await axeFindings(page, "all")).toEqual([]);
  });
});

describe("a page of the operator's", () => {
  it("returns the token in the fragment, for what this tab asked alone", async () => {
    // The provider's page itself is the operator's; here it is where the browser is sent.
    const claims = {
      iss: "app.dynamic.xyz/1",
      aud: "console",
      verified_credentials: [{ id: "a", format: "blockchain", chain: "eip155", address: WALLET }],
    };
    provider.claims = claims;
    const token = await tokenOf(await logInAt(provider, CLIENT, `${service.url}/sign-in`));
    await page.goto("/sign-in");
    for (const state of ["another", null]) {
      await context.route(`${provider.issuer}/page?*`, (route) => {
        const asked = new URL(route.request().url()).searchParams;
        const back = `${asked.get("redirect_uri")}#token=${token}&state=${state ?? asked.get("state")}`;
        return route.fulfill({
          contentType: "text/html",
          body: `<script>location.replace("${back}")</script>`,
        });
      });
      await page.getByRole("button", { name: "Continue with Dynamic" }).click();
      if (state === "another") await page.getByRole("alert").getByText("not started in this tab").waitFor();
      else await signedIn();
      expect(page.url()).not.toContain(token);
      await context.unroute(`${provider.issuer}/page?*`);
    }
  });

  async function tokenOf(wish: {
    code: string;
    code_verifier: string;
    redirect_uri: string;
  }): Promise<string> {
    const body = new URLSearchParams({ ...wish, grant_type: "authorization_code", client_id: CLIENT });
    const response = await fetch(`${provider.issuer}/token`, { method: "POST", body });
    return ((await response.json()) as { id_token: string }).id_token;
  }
});

describe("a Safe", () => {
  it("signs in once its owner has sent the transaction that is shown, for its chain alone, and accepts a vault", async () => {
    await page.clock.install();
    await page.goto("/sign-in");
    await page.getByText("With a Safe").click();
    await page.getByLabel("Address of the Safe").fill(safe);
    await page.getByRole("button", { name: "Show the transaction" }).click();
    const data = (await page.locator("dt:text-is('Data') + dd code").textContent()) as Hex;
    await approve(data);
    await passTime(page, async () => (await stored()).length === 4);
    await signedInMeanwhile(page.getByRole("complementary").getByText("Viewer", { exact: true }));
    const vaults = await page.evaluate(() => localStorage.getItem("curator_vaults"));
    expect(JSON.parse(vaults as string)).toEqual([VAULT]);

    // Somebody let it see the vault, which it has not made its own yet.
    await page.goto(`/vaults/${CHAIN}/${VAULT}`);
    const note = page.getByRole("region", { name: "Not accepted yet" });
    await passTime(page, async () => (await note.count()) === 1);
    await note.getByRole("button", { name: "Accept this vault" }).click();
    await passTime(page, async () => (await note.count()) === 0);
    const token = await page.evaluate(() => localStorage.getItem("curator_jwt"));
    const me = await fetch(`${service.url}/api/v1/auth/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await me.json()).toMatchObject({ limited_to_chain_id: CHAIN, vaults: [{ accepted: true }] });
  });

  /** What the Safe's owner does with what the page shows. */
  async function approve(data: Hex): Promise<void> {
    const artifacts = await compileForeignContracts();
    const [from] = (await chain.client.getAddresses()) as [Address];
    const library = artifactOf(artifacts, "SignMessageLib");
    const deployed = await chain.client.deployContract({ ...library, args: [], account: from });
    const { contractAddress } = await chain.client.waitForTransactionReceipt({ hash: deployed });
    const call = {
      abi: artifactOf(artifacts, "SafeLike").abi,
      address: safe,
      functionName: "execTransaction",
    };
    const hash = await chain.client.writeContract({
      ...call,
      args: [contractAddress, data, 1],
      account: from,
    });
    const { status } = await chain.client.waitForTransactionReceipt({ hash });
    expect(status).toBe("success");
  }
});

describe("a token that something else left", () => {
  it("without its address is asked about, and the session goes on", async () => {
    await logIn();
    await signedIn();
    await page.evaluate(() => {
      for (const key of ["curator_address", "curator_is_manager", "curator_vaults"])
        localStorage.removeItem(key);
    });
    await page.reload();
    await signedIn();
    expect(await stored()).toHaveLength(4);
  });

  it("that is worth nothing leaves the person signed out, with the service's reason", async () => {
    await page.goto("/");
    await page.evaluate(() => localStorage.setItem("curator_jwt", "not.a.token"));
    await page.goto("/sign-in");
    await page.getByRole("alert").getByText("You were signed out").waitFor();
    expect(await stored()).toEqual([]);
  });
});
