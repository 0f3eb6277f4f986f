// Views that vaults and tokens have by the standards: ERC-20 metadata, ERC-4626, ERC-165, ERC-7575; and what stays true of a
// vault for its life, read from them. Shared by the families.
import { type Address, toFunctionSelector, zeroAddress } from "viem";
import type { ChainClient } from "../../client/client.ts";
import { readText, readTokens } from "../../client/tokens.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import { cleanText, NAME_LENGTH, SYMBOL_LENGTH } from "../../text.ts";
import { NotAVault, type VaultDescription } from "./family.ts";
import { type View, ViewBatch, view } from "./view.ts";

export const VIEWS = {
  asset: view<Address>("asset() view returns (address)"),
  share: view<Address>("share() view returns (address)"),
  totalAssets: view<bigint>("totalAssets() view returns (uint256)"),
  totalSupply: view<bigint>("totalSupply() view returns (uint256)"),
  convertToAssets: view<bigint>("convertToAssets(uint256) view returns (uint256)"),
  balanceOf: view<bigint>("balanceOf(address) view returns (uint256)"),
  paused: view<boolean>("paused() view returns (bool)"),
  owner: view<Address>("owner() view returns (address)"),
  supportsInterface: view<boolean>("supportsInterface(bytes4) view returns (bool)"),
  pendingRedeemRequest: view<bigint>("pendingRedeemRequest(uint256,address) view returns (uint256)"),
  claimableRedeemRequest: view<bigint>("claimableRedeemRequest(uint256,address) view returns (uint256)"),
  implementation: view<Address>("implementation() view returns (address)"),
  maxWithdraw: view<bigint>("maxWithdraw(address) view returns (uint256)"),
  name: textView("name", NAME_LENGTH),
  symbol: textView("symbol", SYMBOL_LENGTH),
};

/** Tokens answer with a string or with bytes32, and with whatever they like in it. */
function textView(name: "name" | "symbol", maxLength: number): View<string> {
  const selector = toFunctionSelector(`${name}()`);
  return { name, encode: () => selector, decode: (result) => readText(result, maxLength) };
}

/** Interface ids of ERC-7540 (asynchronous deposit, redemption) and ERC-7575. */
const ERC7540_DEPOSIT = "0xce3bbe50";
const ERC7540_REDEEM = "0x620ee8e4";
const ERC7575 = "0x2f0a18c5";
/** ERC-165: no contract supports this one; one that says yes to it says yes to anything. */
const NO_INTERFACE = "0xffffffff";

/** What OpenZeppelin's ERC-4626 takes an asset without `decimals` to have. */
export const DEFAULT_DECIMALS = 18;

/**
 * Name, symbol, decimals and capabilities of the vault, with no managers. `asset` is what the family knows the asset to be,
 * where it does.
 * @throws NotAVault when the address has no code or tells no asset
 */
export async function describeVault(
  client: ChainClient,
  address: Address,
  at: BlockRef,
): Promise<Omit<VaultDescription, "managers">> {
  const batch = new ViewBatch();
  const asset = batch.add(address, VIEWS.asset);
  const share = batch.add(address, VIEWS.share);
  const isAnything = batch.add(address, VIEWS.supportsInterface, NO_INTERFACE);
  const supports = [ERC7540_DEPOSIT, ERC7540_REDEEM, ERC7575].map((id) =>
    batch.add(address, VIEWS.supportsInterface, id),
  );
  await batch.run(client, at, { isForGood: true });
  const assetAddress = asset();
  if (assetAddress === null || assetAddress === zeroAddress) {
    const hasCode = (await client.getCode(address, at)) !== "0x";
    throw new NotAVault(address, hasCode ? "it names no asset" : "there is no contract");
  }
  const isHonest = isAnything() !== true;
  const [erc7540_deposit, erc7540_redeem, erc7575] = supports.map((answer) => isHonest && answer() === true);
  const shareToken = (erc7575 ? share() : null) ?? address;
  const tokens = await readTokens(client, [shareToken, assetAddress], at);
  const [shares, assets] = [tokens.get(shareToken)!, tokens.get(assetAddress)!];
  return {
    asset: assetAddress,
    assetSymbol: assets.symbol,
    share: shareToken === address ? null : shareToken,
    assetDecimals: assets.decimals ?? DEFAULT_DECIMALS,
    shareDecimals: shares.decimals ?? assets.decimals ?? DEFAULT_DECIMALS,
    name: shares.name === null ? null : cleanText(shares.name, NAME_LENGTH),
    symbol: shares.symbol === null ? null : cleanText(shares.symbol, SYMBOL_LENGTH),
    capabilities: { erc7540_deposit: erc7540_deposit!, erc7540_redeem: erc7540_redeem!, erc7575: erc7575! },
  };
}
