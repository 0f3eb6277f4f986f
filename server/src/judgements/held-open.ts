// An alert that comes and goes is held open for a while after its end. What is said of it then must not claim that it still is so.

/** `quietSince`: nothing was seen of it since then; null while it is so. */
export function titleOf(title: string, quietSince: string | null): string {
  return quietSince === null ? title : `${title} (over, held open)`;
}
