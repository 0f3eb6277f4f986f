/** The development node's well-known accounts, and the part each plays in the demo. Their keys are public: use none elsewhere. */
import { type Address, bytesToHex, type Hex } from "viem";
import { type HDKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts";

const MNEMONIC = "test test test test test test test test test test test junk";

export interface DemoAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** How many accounts the demo's node gives money to. */
export const ACCOUNT_COUNT = 20;

/** Which account does what. The first four are decided elsewhere too: the API's example roles follow them. */
export const ROLE_ACCOUNTS = {
  primaryManager: 0,
  secondaryManager: 1,
  viewer: 2,
  stranger: 3,
  otherManager: 4,
  deployer: 5,
  ppsKeeper: 6,
  redeemKeeper: 7,
  feeRecipient: 8,
  treasury: 9,
  firstDepositor: 10,
  lastDepositor: 17,
  formerManager: 18,
  temporaryManager: 19,
} as const;

/** The account of an index on the node's default derivation path. */
export function demoAccount(index: number): DemoAccount {
  // Stretching the phrase takes most of the time, so it is done once for all.
  parent ??= mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();
  const { privateKey } = parent.deriveChild(index);
  if (!privateKey) throw new Error(`account ${index} has no private key`);
  const key = bytesToHex(privateKey);
  return { address: privateKeyToAddress(key), privateKey: key };
}

let parent: HDKey | undefined;

/** Every account of the demo's node, by index. */
export function demoAccounts(): readonly DemoAccount[] {
  accounts ??= Array.from({ length: ACCOUNT_COUNT }, (_, index) => demoAccount(index));
  return accounts;
}

let accounts: readonly DemoAccount[] | undefined;

/** The address that plays a part. */
export function addressOf(role: keyof typeof ROLE_ACCOUNTS): Address {
  return accountAddress(ROLE_ACCOUNTS[role]);
}

/** The address of an index; throws past the last. */
export function accountAddress(index: number): Address {
  const account = demoAccounts()[index];
  if (!account) throw new Error(`there is no account ${index}`);
  return account.address;
}

/** Those who deposit and redeem. */
export function depositors(): readonly Address[] {
  return demoAccounts()
    .slice(ROLE_ACCOUNTS.firstDepositor, ROLE_ACCOUNTS.lastDepositor + 1)
    .map((account) => account.address);
}
