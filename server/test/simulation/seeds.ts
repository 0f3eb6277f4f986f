// Seeds that found something, and what it was. They run first, every time.

export const NOTABLE_SEEDS: Readonly<Record<number, string>> = {
  16: "one wrong header of the first block stopped the chain for 15 seconds as another one",
  18: "a backend that lags answered a range near the head with a part of its logs, which was believed",
  25: "the same with a restart and cut connections in between",
  34: "every step failed at joining the head while backends lagged; pauses grew to 15 seconds and the head stood still",
};
