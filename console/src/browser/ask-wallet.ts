// Asking a wallet, and what it says when it does not do what it is asked.

/** What a wallet is asked through (EIP-1193). */
export interface Provider {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** Why a wallet did not do what it was asked, for the person to read. */
export class WalletRefusal extends Error {
  /** Of EIP-1193 and the standards that build on it; null where the wallet gave none. */
  readonly code: number | null;

  constructor(message: string, code: number | null = null) {
    super(message);
    this.name = "WalletRefusal";
    this.code = code;
  }
}

const USER_REJECTED = 4001;

/** Asks a wallet. Throws WalletRefusal when the wallet or its owner declines. */
export async function askWallet(
  provider: Provider,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
    if (code === USER_REJECTED)
      throw new WalletRefusal("You declined in the wallet. Nothing was signed.", USER_REJECTED);
    const words = typeof message === "string" ? message.slice(0, 300) : "no";
    throw new WalletRefusal(`The wallet says: ${words}`, typeof code === "number" ? code : null);
  }
}
