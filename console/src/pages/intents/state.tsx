import { words } from "../../format/words.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { Fill, IntentState } from "./queries.ts";

const TONES: Record<IntentState, Tone> = {
  RECEIVED: "neutral",
  ACKED: "neutral",
  STAGED: "neutral",
  PLANNED: "neutral",
  EXECUTING: "accent",
  COMPLETED: "good",
  ABORTED: "critical",
  EXPIRED: "warning",
  FAILED: "critical",
  CANCELED: "warning",
};

export const toneOf = (state: IntentState): Tone => TONES[state];
export const stateWord = (state: IntentState): string => words(state.toLowerCase());

export function StateBadge({ state }: { state: IntentState }) {
  return <Badge tone={TONES[state]}>{stateWord(state)}</Badge>;
}

const ONCHAIN: Record<Fill["onchain"], { tone: Tone; tip: string }> = {
  confirmed: { tone: "good", tip: "The transaction is in a confirmed block." },
  pending: {
    tone: "accent",
    tip: "The transaction is in a block that is not confirmed yet, or is still being looked for.",
  },
  missing: { tone: "critical", tip: "No node knows this transaction." },
  reorganised: { tone: "warning", tip: "The transaction's block was undone by a reorganisation." },
};

/** What the chain says of a fill's transaction. */
export function OnchainBadge({ fill }: { fill: Pick<Fill, "onchain" | "is_reverted"> }) {
  const { tone, tip } = ONCHAIN[fill.onchain];
  return (
    <span className="inline-flex gap-1">
      <Badge tone={tone} tip={tip}>
        {words(fill.onchain)}
      </Badge>
      {fill.is_reverted && <Badge tone="critical">Reverted</Badge>}
    </span>
  );
}
