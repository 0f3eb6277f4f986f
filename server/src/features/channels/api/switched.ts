// What a change of a channel means for answering from it: worked out, and told to the provider, before the change is stored. The change is stored
// only if the channel then still has what was worked out here.
import type { Caller } from "../../../platform/permission.ts";
import { type SwitchParts, switchOff, switchOn } from "../inbound/switch.ts";
import type { SplitConfig } from "../store/config.ts";
import { currentConfig, lockChangeable } from "../store/store.ts";

interface Switched {
  change: { endpointId?: string | null };
  /** What is left to do once the change is stored. */
  after?: () => Promise<void>;
}

/** `wished`: left out, it stays as it is. @throws Problem as the change itself, and `conflict` as `switchOn` */
export async function switched(
  parts: SwitchParts,
  caller: Caller,
  id: string,
  wished: boolean | undefined,
  changed: (before: SplitConfig) => SplitConfig,
): Promise<Switched> {
  const { row, before } = await parts.db.transaction(async (tx) => ({
    row: await lockChangeable(tx, caller, id),
    before: await currentConfig(tx, parts.box, id),
  }));
  const { provider, chat_endpoint_id: endpointId } = row;
  const isOn = wished ?? endpointId !== null;
  if (!isOn && endpointId === null) return { change: {} };
  const [old, next] = [before, changed(before)].map(({ config, secrets }) => ({ ...config, ...secrets })) as [
    Record<string, string>,
    Record<string, string>,
  ];
  const leave = endpointId === null ? null : () => switchOff(parts, { id, provider, endpointId }, old);
  if (!isOn) {
    await leave?.();
    return { change: { endpointId: null } };
  }
  const nextId = await switchOn(parts, provider, next);
  if (nextId === endpointId || leave === null) return { change: { endpointId: nextId } };
  return { change: { endpointId: nextId }, after: leave };
}

/** Before a channel is deleted. @throws Problem `not_found`, `insufficient_role` */
export async function leaveChat(parts: SwitchParts, caller: Caller, id: string): Promise<void> {
  await switched(parts, caller, id, false, (before) => before);
}
