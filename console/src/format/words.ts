// Words of the API as people read them.

/** "pps_update" → "PPS update", "primary_manager" → "Primary manager". */
export function words(value: string): string {
  const spaced = value
    .replace(/_/g, " ")
    .replace(/\b(pps|apy|tvl|id)\b/gi, (word) => word.toUpperCase())
    .replace(/\bUpkeep\b/g, "upkeep");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** "0x99d30E42…0308" → "0x99d3…0308". */
export function shortHex(value: string, head = 6, tail = 4): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`;
}
