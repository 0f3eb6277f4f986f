import { utcExact } from "../../format/time.ts";
import { Transaction } from "../../parts/address.tsx";
import { Dot } from "../../ui/badge.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { tookOf } from "./columns.tsx";
import type { Intent, IntentEvent } from "./queries.ts";
import { stateWord, toneOf } from "./state.tsx";

/** An intent's states in their order, each with when it came, how long the one before lasted, and what it brought. */
export function Timeline({ intent, events }: { intent: Intent; events: readonly IntentEvent[] }) {
  const ordered = [...events].sort((a, b) => a.seq - b.seq);
  if (ordered.length === 0) return <Nothing>No events are stored for this intent.</Nothing>;
  return (
    <ol aria-label="Events" className="relative flex flex-col">
      {ordered.map((event, index) => {
        const before = ordered[index - 1];
        return (
          <li key={event.seq} className="relative flex gap-3 pb-4 last:pb-0">
            {index < ordered.length - 1 && (
              <span
                aria-hidden
                className="absolute top-3 bottom-[-0.5rem] left-[2.5px] w-px bg-line-strong"
              />
            )}
            <span className="z-10 flex h-5 items-center">
              <Dot tone={toneOf(event.state)} />
            </span>
            <div className="min-w-0 flex-1">
              <div className="flex flex-wrap items-baseline justify-between gap-x-3">
                <p className="font-medium">
                  {stateWord(event.state)}
                  <span className="num ml-2 text-2xs font-normal text-ink-3">#{event.seq}</span>
                </p>
                <p className="num text-xs text-ink-3">
                  {before && <span className="mr-2">+{tookOf(before.time, event.time)}</span>}
                  <time dateTime={event.time}>{utcExact(event.time)}</time>
                </p>
              </div>
              {(event.error_code || event.error_message) && (
                <p className="break-words text-critical">
                  {[event.error_code, event.error_message].filter(Boolean).join(": ")}
                </p>
              )}
              {event.tx_hash && <Transaction value={event.tx_hash} chainId={intent.chain_id} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
