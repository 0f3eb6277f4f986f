// Seeds that once found something, and what it was. They run first, every time.

export const NOTABLE_SEEDS: Readonly<Record<number, string>> = {};
