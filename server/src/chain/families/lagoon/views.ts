// Views of Lagoon's vaults and of their proxy admins, and where its silo and its admin are.
//
// What getRolesStorage() and feeRates() answer has grown with the versions: the length of the answer tells which it is. Total assets that
// are proposed, the silo, the high-water mark, the state and the expiration have no view at all.
import {
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  getContractAddress,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { type View, view } from "../family/view.ts";

export interface Seats {
  whitelistManager: Address;
  feeReceiver: Address;
  safe: Address;
  valuationManager: Address;
  /** Of 0.6.0. */
  securityCouncil: Address | null;
  superOperator: Address | null;
}

export interface Rates {
  managementBps: bigint;
  performanceBps: bigint;
  /** Of 0.6.0. */
  exitBps: bigint;
}

/** SyncMode of 0.6.0. */
export const SYNC_BOTH = 0;
export const SYNC_REDEEM = 2;
const SYNC_NONE = 3;

export const LAGOON_VIEWS = {
  seats: structView<Seats>("getRolesStorage", "address", [5, 7], (words) => ({
    whitelistManager: words[0] as Address,
    feeReceiver: words[1] as Address,
    safe: words[2] as Address,
    valuationManager: words[4] as Address,
    securityCouncil: (words[5] as Address | undefined) ?? null,
    superOperator: (words[6] as Address | undefined) ?? null,
  })),
  rates: structView<Rates>("feeRates", "uint16", [2, 5], (words) => ({
    managementBps: BigInt(words[0] as number),
    performanceBps: BigInt(words[1] as number),
    exitBps: BigInt((words[3] as number | undefined) ?? 0),
  })),
  pendingOwner: view<Address>("pendingOwner() view returns (address)"),
  isTotalAssetsValid: view<boolean>("isTotalAssetsValid() view returns (bool)"),
  /** Of 0.6.0; before, there is no leaving at once. */
  syncMode: absentAs(SYNC_NONE, view<number>("syncMode() view returns (uint8)")),
  pendingDepositRequest: view<bigint>("pendingDepositRequest(uint256,address) view returns (uint256)"),
};

/** Of the silo: that it answers at all says that it is one. */
export const IS_SILO = view<Address>("wrappedNativeToken() view returns (address)");

/** A vault of a beacon has no admin of its own: then nothing waits. */
export const ADMIN_VIEWS = {
  owner: absentAs(zeroAddress, view<Address>("owner() view returns (address)")),
  newImplementation: absentAs(zeroAddress, view<Address>("newImplementation() view returns (address)")),
  implementationUpdateTime: absentAs(0n, view<bigint>("implementationUpdateTime() view returns (uint256)")),
  delay: absentAs(0n, view<bigint>("delay() view returns (uint256)")),
  newDelay: absentAs(0n, view<bigint>("newDelay() view returns (uint256)")),
  delayUpdateTime: absentAs(0n, view<bigint>("delayUpdateTime() view returns (uint256)")),
};

/** A vault makes its silo as it is initialised; that comes first, unless the proxy made its admin before. */
export function siloCandidates(vault: Address): readonly [Address, Address] {
  return [getContractAddress({ from: vault, nonce: 1n }), getContractAddress({ from: vault, nonce: 2n })];
}

/** The proxy makes its admin once the vault has made its silo. What stands there may be something else, or nothing. */
export function adminCandidate(vault: Address): Address {
  return getContractAddress({ from: vault, nonce: 2n });
}

/** A view that some versions have not: without it the answer is as given, and nothing has failed. */
function absentAs<R>(value: R, own: View<R>): View<R> {
  return { ...own, decode: (result) => own.decode(result) ?? value };
}

/** A view of one struct of like members, whose number differs by version. */
function structView<R>(
  name: string,
  type: string,
  sizes: readonly number[],
  from: (words: readonly unknown[]) => R,
): View<R> {
  const selector = toFunctionSelector(`${name}()`);
  return {
    name,
    encode: () => selector,
    decode({ success, data }) {
      const size = (data.length - 2) / 64;
      if (!success || !sizes.includes(size)) return null;
      const members: AbiParameter[] = Array.from({ length: size }, () => ({ type }));
      try {
        return from(decodeAbiParameters(members, data));
      } catch {
        return null;
      }
    },
  };
}
