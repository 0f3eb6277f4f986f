// Each profile finds exactly one wallet in the tokens of its provider, or refuses.
import { describe, expect, test } from "vitest";
import { walletClaims } from "../../../test/issuer.ts";
import { Problem } from "../../platform/errors.ts";
import { PROFILES, type ProfileName } from "./profile.ts";

const A = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const B = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

function walletOf(profile: ProfileName, claims: Record<string, unknown>, walletClaim: string | null = null) {
  return PROFILES[profile](claims, { walletClaim });
}

function refusal(
  profile: ProfileName,
  claims: Record<string, unknown>,
  walletClaim: string | null = null,
): string {
  try {
    walletOf(profile, claims, walletClaim);
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    const problem = error as Problem;
    expect(problem.code).toBe("invalid_token");
    expect(problem.extra.headers).toEqual({ "www-authenticate": 'Bearer error="invalid_token"' });
    return problem.message;
  }
  throw new Error("not refused");
}

const credential = (id: string, address: unknown, chain = "eip155") => ({
  id,
  chain,
  format: "blockchain",
  address,
});

describe("dynamic", () => {
  test("the credential named as the last verified one is the wallet", () => {
    const claims = {
      verified_credentials: [credential("a", A), credential("b", B)],
      last_verified_credential_id: "b",
    };
    expect(walletOf("dynamic", claims)).toMatchObject({ wallet: B, scope: "full" });
  });

  test("without a name the only EVM credential is the wallet, whatever else was verified", () => {
    const others = [
      { id: "m", format: "email", email: "x@y.z" },
      credential("s", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "solana"),
    ];
    expect(
      walletOf("dynamic", { verified_credentials: [...others, credential("a", A.toLowerCase())] }).wallet,
    ).toBe(A);
  });

  test("a name of a credential that is no EVM wallet leaves the only EVM one", () => {
    const claims = {
      verified_credentials: [credential("s", "9xQe", "solana"), credential("a", A)],
      last_verified_credential_id: "s",
    };
    expect(walletOf("dynamic", claims).wallet).toBe(A);
  });

  test("the same wallet verified twice is one wallet", () => {
    expect(
      walletOf("dynamic", { verified_credentials: [credential("a", A), credential("b", A.toLowerCase())] })
        .wallet,
    ).toBe(A);
  });

  test("several wallets and none named are refused", () => {
    expect(refusal("dynamic", { verified_credentials: [credential("a", A), credential("b", B)] })).toMatch(
      /several/,
    );
    expect(
      refusal("dynamic", {
        verified_credentials: [credential("a", A), credential("b", B)],
        last_verified_credential_id: "c",
      }),
    ).toMatch(/several/);
    expect(
      refusal("dynamic", {
        verified_credentials: [credential("a", A), credential("b", B)],
        last_verified_credential_id: 7,
      }),
    ).toMatch(/several/);
  });

  test.each(["requiresAdditionalAuth", "user:basic requiresAdditionalAuth", ["requiresAdditionalAuth"]])(
    "a scope of %j is refused: the sign-in is not finished",
    (scope) => {
      expect(refusal("dynamic", { ...walletClaims("dynamic", A), scope })).toMatch(
        /additional authentication/,
      );
    },
  );

  test("an ordinary scope is accepted and is no reading scope", () => {
    expect(walletOf("dynamic", { ...walletClaims("dynamic", A), scope: "user:basic" }).scope).toBe("full");
    expect(walletOf("dynamic", { ...walletClaims("dynamic", A), scope: "read" }).scope).toBe("full");
  });

  test("the minified token is refused with which token to send", () => {
    expect(
      refusal("dynamic", {
        verifiedCredentialsHashes: { blockchain: "x" },
        last_verified_credential_id: "a",
      }),
    ).toMatch(/full JWT/);
    expect(refusal("dynamic", { verified_credentials: "[]" })).toMatch(/full JWT/);
  });

  test.each([[[]], [[null, "x", 7]], [[credential("s", "9xQe", "solana")]]])(
    "credentials %j hold no EVM wallet and are refused",
    (verified_credentials) => {
      expect(refusal("dynamic", { verified_credentials })).toMatch(/no verified EVM wallet/);
    },
  );

  test.each([[undefined], [7], ["0x12"], [`${A}00`], ["0x0000000000000000000000000000000000000000"]])(
    "an EVM credential with the address %j is refused",
    (address) => {
      expect(refusal("dynamic", { verified_credentials: [credential("a", address)] })).toMatch(
        /no valid `address`/,
      );
    },
  );
});

describe("privy", () => {
  const accounts = (...list: unknown[]) => ({ linked_accounts: JSON.stringify(list) });
  const wallet = (address: string) => ({ type: "wallet", chain_type: "ethereum", address });

  test("the linked EVM wallet is the wallet", () => {
    expect(walletOf("privy", walletClaims("privy", A))).toMatchObject({ wallet: A, scope: "full" });
    expect(walletOf("privy", { linked_accounts: [wallet(A)] }).wallet).toBe(A);
  });

  test("accounts of other kinds and chains do not count", () => {
    const others = [
      { type: "wallet", chain_type: "solana", address: "9xQe" },
      { type: "smart_wallet", address: B },
      { type: "email", address: "a@b.c" },
      null,
    ];
    expect(walletOf("privy", accounts(...others, wallet(A))).wallet).toBe(A);
  });

  test("several wallets are refused, the same twice is one", () => {
    expect(refusal("privy", accounts(wallet(A), wallet(B)))).toMatch(/several/);
    expect(walletOf("privy", accounts(wallet(A), wallet(A.toLowerCase()))).wallet).toBe(A);
  });

  test("the access token is refused with which token to send", () => {
    expect(refusal("privy", { sid: "s" })).toMatch(/identity token/);
  });

  test.each(["{", "{}", "7", "null", 7, null])("linked_accounts of %j is refused", (linked_accounts) => {
    expect(refusal("privy", { linked_accounts })).toMatch(/not a JSON list/);
  });

  test("no wallet, or one without an address, is refused", () => {
    expect(refusal("privy", accounts())).toMatch(/no linked EVM wallet/);
    expect(refusal("privy", accounts({ type: "wallet", chain_type: "ethereum" }))).toMatch(
      /no valid `address`/,
    );
  });
});

describe("generic", () => {
  test.each([
    A,
    A.toLowerCase(),
    `0X${A.slice(2).toUpperCase()}`,
    `eip155:1:${A}`,
    `did:pkh:eip155:8453:${A}`,
  ])("a sub of %s is the wallet", (sub) => {
    expect(walletOf("generic", { sub })).toMatchObject({ wallet: A, scope: "full", isContract: false });
  });

  test("a chain that the wallet is named with, and what the token says of its signature, are kept", () => {
    expect(walletOf("generic", { sub: A })).toMatchObject({ chainId: null });
    expect(walletOf("generic", { sub: `eip155:10:${A}` })).toMatchObject({ chainId: 10n, isContract: false });
    const by = (signature_type: unknown, chain_id: unknown = 10, sub = A as string) => ({
      sub,
      signature_type,
      chain_id,
    });
    expect(walletOf("generic", by("contract"))).toMatchObject({ chainId: 10n, isContract: true });
    expect(walletOf("generic", by("key"))).toMatchObject({ chainId: null, isContract: false });
    // Of before 0.2: the chain of the challenge, and no word on what signed.
    expect(walletOf("generic", { sub: A, chain_id: 10 })).toMatchObject({ chainId: null, isContract: false });
    for (const chainId of [undefined, null, "10", 1.5, 0, -1])
      expect(refusal("generic", { sub: A, signature_type: "contract", chain_id: chainId })).toMatch(
        /which chain/,
      );
    expect(refusal("generic", by("contract", 10, `eip155:1:${A}`))).toMatch(/which chain/);
    expect(refusal("generic", by("multisig"))).toMatch(/signature_type/);
  });

  test("wallet_address stands before sub, and is not passed over when it is wrong", () => {
    expect(walletOf("generic", { sub: B, wallet_address: A }).wallet).toBe(A);
    expect(refusal("generic", { sub: B, wallet_address: "nobody" })).toMatch(/names no wallet/);
    expect(refusal("generic", { sub: B, wallet_address: null })).toMatch(/names no wallet/);
  });

  test("the configured claim is the only place looked at", () => {
    expect(
      walletOf(
        "generic",
        { "https://id.test/wallet": A, wallet_address: B, sub: B },
        "https://id.test/wallet",
      ).wallet,
    ).toBe(A);
    expect(refusal("generic", { wallet_address: B, sub: B }, "wallet")).toMatch(/`wallet`/);
    expect(refusal("generic", { sub: B }, "constructor")).toMatch(/`constructor`/);
  });

  test.each([
    "user-1",
    `eip155:0:${A}`,
    `solana:1:${A}`,
    `did:key:${A}`,
    `eip155:1:${A}:1`,
    ` ${A}`,
    [A],
    { a: A },
    7,
    undefined,
  ])("a sub of %j is refused", (sub) => {
    expect(refusal("generic", { sub })).toMatch(/names no wallet/);
  });

  test("a scope of exactly read is a token for reading", () => {
    expect(walletOf("generic", { sub: A, scope: "read" }).scope).toBe("read");
    expect(walletOf("generic", { sub: A, scope: "read write" }).scope).toBe("full");
    expect(walletOf("generic", { sub: A, scope: ["read"] }).scope).toBe("full");
  });
});
