// Seeds that find a known fault again when what mended it is taken out. They run first, every time.
//
// Seeds 16, 18, 25 and 34 once found four faults, and pass with the mending taken out: which request meets which
// fault is up to the scheduler, and since then the service asks for other things. Each of those faults has a test of its own that
// does not depend on chance: chain/client/log-check.test.ts (a backend that lags answers a range near the head with a part of it; 18 and 25),
// ingest/head/agree.test.ts (one wrong header of the first block; 16) and ingest/head/retry.test.ts (pauses that grew while nodes lag; 34).
// A seed that fails belongs here only with its commit, and only while it fails without it.

export const NOTABLE_SEEDS: Readonly<Record<number, string>> = {
  10: "a backend that lagged told nothing of a configured vault that another had just told of: named null for good",
};
