// The parts of a page that are written by `npm run gen`, between markers; what stands beside them is written by hand.

/** The page with the part of that name rebuilt. Throws where it has no place for it. */
export function replaceBetween(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: written by \`npm run gen\` -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`a page has no ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
