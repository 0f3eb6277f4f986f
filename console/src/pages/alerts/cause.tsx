// What brought an alert about, and where to look further: its transaction, and the pages that show its category.
import { Link, type LinkProps } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { Transaction } from "../../parts/address.tsx";
import { Fact, Facts } from "../../ui/panel.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import type { Alert } from "./queries.ts";

export function Cause({ alert }: { alert: Alert }) {
  const hash = alert.details.tx_hash;
  const links = linksOf(alert);
  return (
    <Facts>
      <Fact name="Transaction">
        {typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash) ? (
          <Transaction value={hash} chainId={alert.chain_id} />
        ) : alert.transaction_url !== null && /^https?:/.test(alert.transaction_url) ? (
          <a
            href={alert.transaction_url}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex items-center gap-1 text-accent hover:underline"
          >
            In the explorer <ExternalLink aria-hidden className="size-3" />
          </a>
        ) : (
          <Unknown reason="no transaction brought it about" />
        )}
      </Fact>
      {links.length > 0 && (
        <Fact name="See also">
          <span className="flex flex-wrap justify-end gap-x-3">
            {links.map(({ text, ...link }) => (
              <Link key={text} {...link} className="text-accent underline underline-offset-2">
                {text}
              </Link>
            ))}
          </span>
        </Fact>
      )}
    </Facts>
  );
}

type PageLink = Pick<LinkProps, "to" | "search"> & { text: string };

function linksOf({ chain_id, vault_address, category, subject }: Alert): PageLink[] {
  if (chain_id === 0) return [];
  const vault = `${chain_id}:${vault_address}`;
  const log = (action: string): PageLink => ({
    to: "/audit",
    search: { vault, action },
    text: "Its audit entries",
  });
  switch (category) {
    case "keeper_run":
      return [{ to: "/services", search: { vault }, text: "The vault's services" }];
    case "execution":
      return [
        { to: "/intents", search: { vault, strategy: subject }, text: "The strategy's intents" },
        { to: "/intents", search: { vault, state: "FAILED" }, text: "Failed intents" },
      ];
    case "pps_staleness":
      return [log("pps_update,pps_update_reject,pps_stale,pps_stale_reset")];
    case "upkeep":
      return [log("upkeep_deposit,upkeep_withdraw,upkeep_insufficient")];
    case "session_key":
      return [log("session_key_grant,session_key_rotate,session_key_revoke")];
    case "emergency_pause":
      return [log("vault_pause,vault_unpause")];
    case "emergency_exit":
      return [log("emergency_exit_arm,emergency_exit_stop")];
    case "merkle":
      return [log("merkle_generate,merkle_publish,merkle_root_propose,merkle_root_update,merkle_root_veto")];
    case "governance":
    case "price":
    case "tvl":
    case "flows":
    case "allocation":
    case "losses":
    case "liquidity":
    case "system":
      return [{ to: "/audit", search: { vault }, text: "The vault's audit entries" }];
  }
}
