// Which format an export is wanted in: the Accept header with its q-values (RFC 9110, 12.5.1).
import type { Format } from "./export-sql.ts";

export const MEDIA_TYPES: Record<Format, string> = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

/**
 * The format that the header prefers, JSON where it leaves the choice; null when it takes none. Of equal q-values the
 * order json, csv, ndjson decides, not that of the header, which carries none.
 */
export function negotiate(accept: string | undefined): Format | null {
  if (accept === undefined || accept.trim() === "") return "json";
  const ranges = accept.split(",").map(parseRange);
  let best: Format | null = null;
  let bestQuality = 0;
  for (const format of Object.keys(MEDIA_TYPES) as Format[]) {
    const quality = qualityOf(MEDIA_TYPES[format], ranges);
    if (quality > bestQuality) [best, bestQuality] = [format, quality];
  }
  return best;
}

interface MediaRange {
  type: string;
  quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const value =
    quality === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
  return { type, quality: value };
}

/** The most specific range that covers the type decides, whatever its quality. */
function qualityOf(mediaType: string, ranges: readonly MediaRange[]): number {
  const family = `${mediaType.split("/")[0]}/*`;
  for (const pattern of [mediaType, family, "*/*"]) {
    const range = ranges.find(({ type }) => type === pattern);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
