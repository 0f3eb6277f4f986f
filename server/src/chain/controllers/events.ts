// The events of accounts that stand behind a role: Safe (1.3.0 to 1.5.0), and OpenZeppelin's TimelockController and ProxyAdmin.
// Safe 1.3.0 emits the same topic with its parameters in the data that later versions put into topics: which one it is, the number of
// topics tells. A log that is none of these, or does not hold what its event promises, is null: contracts may emit what they like.
import {
  type ArgumentsOf,
  compileEvent,
  type EventCodec,
  Undecodable,
  type Value,
} from "../families/family/event.ts";
import type { RawLog } from "../rpc/raw.ts";

const SAFE = [
  "SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)",
  "ApproveHash(bytes32 indexed approvedHash, address indexed owner)",
  "SignMsg(bytes32 indexed msgHash)",
  "ExecutionSuccess(bytes32 indexed txHash, uint256 payment)",
  "ExecutionFailure(bytes32 indexed txHash, uint256 payment)",
  "AddedOwner(address indexed owner)",
  "RemovedOwner(address indexed owner)",
  "ChangedThreshold(uint256 threshold)",
  "EnabledModule(address indexed module)",
  "DisabledModule(address indexed module)",
  "ExecutionFromModuleSuccess(address indexed module)",
  "ExecutionFromModuleFailure(address indexed module)",
  "ChangedGuard(address indexed guard)",
  "ChangedModuleGuard(address indexed moduleGuard)",
  "ChangedFallbackHandler(address indexed handler)",
  "ChangedMasterCopy(address singleton)",
  "SafeMultiSigTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures, bytes additionalInfo)",
  "SafeModuleTransaction(address module, address to, uint256 value, bytes data, uint8 operation)",
] as const;

const TIMELOCK = [
  "CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)",
  "CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)",
  "CallSalt(bytes32 indexed id, bytes32 salt)",
  "Cancelled(bytes32 indexed id)",
  "MinDelayChange(uint256 oldDuration, uint256 newDuration)",
  "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
  "RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)",
] as const;

const PROXY_ADMIN = [
  "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)",
  "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
] as const;

type EventOf<S extends string> = S extends `${infer Name}(${string}`
  ? { name: Name; values: ArgumentsOf<S>; codec: EventCodec }
  : never;

export type SafeEvent = EventOf<(typeof SAFE)[number]>;
export type TimelockEvent = EventOf<(typeof TIMELOCK)[number]>;
export type ProxyAdminEvent = EventOf<(typeof PROXY_ADMIN)[number]>;

const codecs = {
  // The sizes of 1.3.0: the same without `indexed`, where it is not indexed in all versions.
  safe: tableOf([...SAFE, ...SAFE.map((signature) => signature.replaceAll(" indexed", ""))]),
  timelock: tableOf(TIMELOCK),
  proxy_admin: tableOf(PROXY_ADMIN),
};

export const safeEvent = (log: RawLog) => read(codecs.safe, log) as SafeEvent | null;
export const timelockEvent = (log: RawLog) => read(codecs.timelock, log) as TimelockEvent | null;
export const proxyAdminEvent = (log: RawLog) => read(codecs.proxy_admin, log) as ProxyAdminEvent | null;

/** By topic and number of topics. */
function tableOf(signatures: readonly string[]): ReadonlyMap<string, EventCodec> {
  return new Map(
    signatures.map((signature) => {
      const codec = compileEvent(signature);
      const topics = 1 + signature.split(" indexed ").length - 1;
      return [`${codec.topic}:${topics}`, codec];
    }),
  );
}

function read(table: ReadonlyMap<string, EventCodec>, log: RawLog): unknown {
  const codec = table.get(`${log.topics[0]}:${log.topics.length}`);
  if (!codec) return null;
  let values: Value[];
  try {
    values = codec.read(log);
  } catch (error) {
    if (error instanceof Undecodable) return null;
    throw error;
  }
  return { name: codec.name, values, codec };
}
