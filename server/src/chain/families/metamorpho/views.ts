// Views of a curated vault, for MetaMorpho and Euler Earn alike; those of a line differ in what names it and in how wide its cap is.
import type { Address, Hex } from "viem";
import { type View, view } from "../family/view.ts";
import type { LineId } from "./events.ts";

export const CURATED_VIEWS = {
  pendingOwner: view<Address>("pendingOwner() view returns (address)"),
  curator: view<Address>("curator() view returns (address)"),
  guardian: view<Address>("guardian() view returns (address)"),
  isAllocator: view<boolean>("isAllocator(address) view returns (bool)"),
  timelock: view<bigint>("timelock() view returns (uint256)"),
  pendingGuardian: view<readonly [Address, bigint]>("pendingGuardian() view returns (address, uint64)"),
  // Of 136 bits or of 192, by family: both are padded to a word.
  pendingTimelock: view<readonly [bigint, bigint]>("pendingTimelock() view returns (uint256, uint64)"),
  fee: view<bigint>("fee() view returns (uint96)"),
  feeRecipient: view<Address>("feeRecipient() view returns (address)"),
  /** Of MetaMorpho alone. */
  skimRecipient: view<Address>("skimRecipient() view returns (address)"),
  /** As of the last accrual; not of MetaMorpho 1.0. */
  lostAssets: view<bigint>("lostAssets() view returns (uint256)"),
  lastTotalAssets: view<bigint>("lastTotalAssets() view returns (uint256)"),
  withdrawQueueLength: view<bigint>("withdrawQueueLength() view returns (uint256)"),
  supplyQueueLength: view<bigint>("supplyQueueLength() view returns (uint256)"),
};

export interface LineConfig {
  cap: bigint;
  /** It stands in the withdraw queue. */
  isEnabled: boolean;
  /** 0 where no removal is pending. */
  removableAt: bigint;
}

export interface LineViews {
  config: View<LineConfig>;
  /** The cap and when it may be accepted, 0 where none is pending. */
  pendingCap: View<readonly [bigint, bigint]>;
  withdrawQueue: View<Hex>;
  supplyQueue: View<Hex>;
}

/** `width` is that of a cap: its greatest number stands for "unlimited". */
export function lineViews(id: LineId, width: 184 | 136): LineViews {
  const config = view<readonly [...bigint[], bigint, boolean, bigint]>(
    id === "bytes32"
      ? `config(bytes32) view returns (uint${width} cap, bool enabled, uint64 removableAt)`
      : `config(address) view returns (uint112 balance, uint${width} cap, bool enabled, uint64 removableAt)`,
  );
  return {
    config: {
      ...config,
      decode(result) {
        const values = config.decode(result);
        if (values === null) return null;
        const [cap, isEnabled, removableAt] = values.slice(-3) as [bigint, boolean, bigint];
        return { cap, isEnabled, removableAt };
      },
    },
    pendingCap: view(`pendingCap(${id}) view returns (uint256, uint64)`),
    withdrawQueue: view(`withdrawQueue(uint256) view returns (${id})`),
    supplyQueue: view(`supplyQueue(uint256) view returns (${id})`),
  };
}
