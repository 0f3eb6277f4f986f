import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { chainsQuery } from "../api/vaults.ts";
import { explorerLink } from "../browser/paths.ts";
import { shortHex } from "../format/words.ts";
import { CopyButton } from "../ui/copy.tsx";

interface HexProps {
  value: string;
  chainId: number;
  /** What it is, for screen readers: "vault address". */
  label?: string;
}

/** An address: shortened, whole on hover, copied in one click, linked to its chain's explorer. */
export function Address({ label = "address", ...rest }: HexProps) {
  return <Hex {...rest} label={label} kind="address" />;
}

/** A transaction hash, in the same way. */
export function Transaction({ label = "transaction hash", ...rest }: HexProps) {
  return <Hex {...rest} label={label} kind="tx" />;
}

function Hex({ value, chainId, label, kind }: HexProps & { label: string; kind: "address" | "tx" }) {
  const { data: chains } = useQuery(chainsQuery);
  const chain = chains?.find(({ chain_id }) => chain_id === chainId);
  const link = explorerLink(chain?.explorer_url, kind, value);
  return (
    <span className="inline-flex items-center whitespace-nowrap">
      <Short value={value} />
      <CopyButton text={value} label={label} />
      {link && (
        <a
          href={link}
          target="_blank"
          rel="noreferrer noopener"
          aria-label={`Open ${label} in the explorer of ${chain?.name ?? chainId}`}
          className="-my-0.5 inline-grid size-6 place-items-center rounded text-ink-3 hover:bg-raised hover:text-ink"
        >
          <ExternalLink aria-hidden className="size-3" />
        </a>
      )}
    </span>
  );
}

/** A hash that no explorer knows (a root, a leaf): shortened, whole on hover, copied. */
export function Hash({ value, label = "hash" }: { value: string; label?: string }) {
  return (
    <span className="inline-flex items-center whitespace-nowrap">
      <Short value={value} />
      <CopyButton text={value} label={label} />
    </span>
  );
}

/** Shortened for the eye, whole for who hears the page. */
function Short({ value }: { value: string }) {
  return (
    <span data-tip={value} className="relative mr-0.5 font-mono text-xs">
      <span aria-hidden>{shortHex(value)}</span>
      <span className="sr-only">{value}</span>
    </span>
  );
}
