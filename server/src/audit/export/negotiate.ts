// Which format an export is wanted in: the Accept header with its q-values (RFC 9110, 12.5.1).
import type { Format } from "./sql.ts";

export const MEDIA_TYPES: Record<Format, string> = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

/**
 * The format that the header prefers; null when it takes none. Of equal q-values the one that is named first, as its writer expects; of
 * several that one range covers JSON, then CSV.
 */
export function negotiate(accept: string | undefined): Format | null {
  if (accept === undefined || accept.trim() === "") return "json";
  const ranges = accept.split(",").map(parseRange);
  let best: { format: Format; quality: number; place: number } | null = null;
  for (const format of Object.keys(MEDIA_TYPES) as Format[]) {
    const place = placeOf(MEDIA_TYPES[format], ranges);
    const quality = ranges[place]?.quality ?? 0;
    if (quality === 0) continue;
    if (best === null || quality > best.quality || (quality === best.quality && place < best.place))
      best = { format, quality, place };
  }
  return best?.format ?? null;
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

/** Where the range stands that decides of a type: the most specific one that covers it, whatever its quality; -1 where none does. */
function placeOf(mediaType: string, ranges: readonly MediaRange[]): number {
  const family = `${mediaType.split("/")[0]}/*`;
  for (const pattern of [mediaType, family, "*/*"]) {
    const place = ranges.findIndex(({ type }) => type === pattern);
    if (place >= 0) return place;
  }
  return -1;
}
