/** A vault's or token's sign: drawn from its symbol, never fetched, the same everywhere. */
export function Glyph({ text, seed, size = 24 }: { text: string; seed: string; size?: number }) {
  let hash = 7;
  for (const char of seed.toLowerCase()) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  const hue = hash % 360;
  const letters = text.replace(/[^a-z0-9]/gi, "").slice(0, text.length > 4 ? 2 : 1) || "?";
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 32 32" className="shrink-0">
      <rect width="32" height="32" rx="9" fill={`oklch(0.52 0.13 ${hue})`} />
      <path d="M0 24 L32 8 V32 H0Z" fill={`oklch(0.45 0.13 ${(hue + 40) % 360})`} opacity="0.55" />
      <text x="16" y="20.5" textAnchor="middle" fontSize="13" fontWeight="650" fill="#fff">
        {letters.toUpperCase()}
      </text>
    </svg>
  );
}
