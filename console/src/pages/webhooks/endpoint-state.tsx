import { Badge } from "../../ui/badge.tsx";
import type { Endpoint } from "./queries.ts";

export const DISABLED_REASONS = {
  gone: "It answered 410: it asked for no more deliveries.",
  failing: "Every delivery failed for five days.",
} as const;

export function EndpointState({
  endpoint,
}: {
  endpoint: Pick<Endpoint, "is_enabled" | "disabled_reason" | "secret_error">;
}) {
  if (endpoint.is_enabled && endpoint.secret_error !== null)
    return (
      <Badge tone="critical" tip={endpoint.secret_error}>
        Secret lost
      </Badge>
    );
  if (endpoint.is_enabled) return <Badge tone="good">On</Badge>;
  const { disabled_reason: reason } = endpoint;
  return reason === null ? (
    <Badge tip="You switched it off.">Off</Badge>
  ) : (
    <Badge tone="critical" tip={DISABLED_REASONS[reason]}>
      Disabled
    </Badge>
  );
}
