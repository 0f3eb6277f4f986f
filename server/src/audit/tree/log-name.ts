// The name of a log in its checkpoints, and of what it goes on as once a rollback was acknowledged.

/** `…/audit` is the first, `…/audit-r2` what it goes on as. */
export function readName(name: string): { base: string; number: number } {
  const [, base, number] = /^(.+)-r([1-9]\d{0,5})$/.exec(name) ?? [];
  return base === undefined ? { base: name, number: 1 } : { base, number: Number(number) };
}

/** Whether the log went on from the one name to the other: what was signed under the first binds it no more. */
export function isRetired(name: string, current: string): boolean {
  const [old, now] = [readName(name), readName(current)];
  return old.base === now.base && old.number < now.number;
}
