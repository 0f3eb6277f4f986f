// Addresses and vault ids as clients write them: any case in, EIP-55 out. A mixed-case address with a wrong checksum is refused,
// because it is a typing error that would otherwise name somebody else's account.
import { type Address, getAddress } from "viem";

const FORM = /^0[xX]([0-9a-fA-F]{40})$/;
const VAULT_ID = /^([1-9]\d{0,15}):(0[xX][0-9a-fA-F]{40})$/;

/** The checksummed form of an address in any case; null when it is none, or is mixed case with a wrong checksum (EIP-55). */
export function parseAddress(text: string): Address | null {
  const digits = FORM.exec(text)?.[1];
  if (digits === undefined) return null;
  const lower = digits.toLowerCase();
  const checksummed = getAddress(`0x${lower}`);
  if (digits === lower || digits === digits.toUpperCase() || `0x${digits}` === checksummed)
    return checksummed;
  return null;
}

/** A vault by its chain and its checksummed address. */
export interface VaultRef {
  chainId: number;
  vaultAddress: Address;
}

/** The same as the tables name it. */
export interface VaultColumns {
  chain_id: number;
  vault_address: string;
}

/** What a caller may read: these vaults, or, where they may read all, what a filter leaves of them. */
export type VisibleVaults =
  | { all: true; chainId: number | null; vaultAddress: Address | null }
  | { all: false; vaults: readonly VaultRef[] };

/** Reads `{chain_id}:{vault_address}`, address in any case; null when malformed. The chain id is 1 … 2^53 − 1. */
export function parseVaultId(text: string): VaultRef | null {
  const match = VAULT_ID.exec(text);
  if (match === null) return null;
  const chainId = Number(match[1]);
  const vaultAddress = parseAddress(match[2] ?? "");
  if (vaultAddress === null || !Number.isSafeInteger(chainId)) return null;
  return { chainId, vaultAddress };
}

/** The id of a vault in the API's form: one text for one vault, so it also serves as a key. */
export function vaultIdOf({ chainId, vaultAddress }: { chainId: number; vaultAddress: string }): string {
  return `${chainId}:${vaultAddress}`;
}

export function vaultIdOfRow({ chain_id, vault_address }: VaultColumns): string {
  return `${chain_id}:${vault_address}`;
}
