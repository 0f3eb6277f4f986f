// The service's clock. Everything that judges by time takes one, so that a test can hold it still.

/** Milliseconds since the Unix epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
