// What `/readyz` is told of a chain's RPC URLs. None of it makes the service unready: that is for the chain's lag to say. What a node said
// itself is the reason, which is not for everybody.
import type { ChainClient, EndpointHealth } from "../../chain/client/client.ts";
import type { Condition } from "../../platform/lifecycle/health.ts";

export function nodesCondition(
  nodes: readonly EndpointHealth[],
  socket: ReturnType<ChainClient["socketHealth"]> = null,
): Condition {
  const parts = nodes.map((node) => `${node.host}: ${wordsOf(node)}`);
  if (socket) {
    const word = socket.isHeard ? "new heads arrive by subscription" : "no new heads arrive by subscription";
    parts.push(`${socket.host}: ${word}`);
  }
  const isWell = nodes.every(({ isHealthy }) => isHealthy) && (socket?.isHeard ?? true);
  const said = [
    ...nodes.filter(({ isHealthy }) => !isHealthy),
    ...(socket && !socket.isHeard ? [socket] : []),
  ].flatMap(({ host, lastError }) => (lastError === null ? [] : [`${host}: ${lastError}`]));
  const reason = said.length === 0 ? {} : { reason: said.join("; ") };
  return { state: isWell ? "ok" : "degraded", detail: parts.join("; "), ...reason };
}

function wordsOf({ isHealthy, aside, latencyMs, head }: EndpointHealth): string {
  if (aside?.reason === "foreign") return "serves another chain";
  if (aside?.reason === "forked")
    return `is not used, for it has another block ${aside.block} than the others`;
  if (aside?.reason === "lags") return `is not used, for it lags ${aside.blocks} blocks`;
  if (!isHealthy) return "does not answer as it should";
  if (latencyMs === null) return "not asked yet";
  return `answers in ${Math.round(latencyMs)} ms${head === null ? "" : `, block ${head}`}`;
}
