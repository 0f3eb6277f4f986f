import { useNow } from "../api/clock.ts";
import { countdown, relative, utc, utcExact } from "../format/time.ts";
import { Unknown } from "./unknown.tsx";

interface TimeProps {
  /** As the API gives it. */
  at: string | null | undefined;
  /** `hover` where there is no room for the exact moment beside. */
  exact?: "beside" | "hover";
  reason?: string | null;
}

/** A moment: how long ago, with the exact UTC beside it. */
export function Time({ at, exact = "beside", reason }: TimeProps) {
  const nowMs = useNow();
  if (!at) return <Unknown reason={reason} />;
  return (
    <time dateTime={at} data-tip={utcExact(at)} className="num whitespace-nowrap">
      {relative(Date.parse(at), nowMs)}
      {exact === "beside" && <span className="ml-1.5 text-2xs text-ink-3">{utc(at)}</span>}
    </time>
  );
}

interface CountdownProps {
  until: string | null | undefined;
  /** Said once it is over. */
  over?: string;
  reason?: string | null;
}

/** A moment to come, counted down every second, the exact UTC on hover. */
export function Countdown({ until, over = "now", reason }: CountdownProps) {
  const nowMs = useNow();
  if (!until) return <Unknown reason={reason} />;
  const seconds = (Date.parse(until) - nowMs) / 1000;
  return (
    <time dateTime={until} data-tip={utcExact(until)} className="num whitespace-nowrap">
      {seconds <= 0 ? over : countdown(seconds)}
    </time>
  );
}
