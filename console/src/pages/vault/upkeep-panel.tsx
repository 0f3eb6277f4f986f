import { useQuery } from "@tanstack/react-query";
import { words } from "../../format/words.ts";
import { Amount } from "../../ui/amount.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { tokensQuery, type VaultState } from "./queries.ts";

/** What keeps the vault's price updated, and whether there is enough of it. */
export function UpkeepPanel({ vault }: { vault: VaultState }) {
  const { upkeep_info: upkeep, activation } = vault;
  const { data: tokens } = useQuery(tokensQuery(vault.chain_id));
  if (upkeep === null) return null;
  const token = tokens?.find(({ address }) => address === upkeep.token);
  const unit = { decimals: token?.decimals ?? 0, symbol: token?.symbol ?? "raw units" };
  return (
    <Panel
      title="Upkeep"
      aside={
        activation && (
          <Badge
            tone={activation.is_active ? "good" : "neutral"}
            {...(activation.reason && { tip: activation.reason })}
          >
            {words(activation.status)}
          </Badge>
        )
      }
    >
      <Facts>
        <Fact name="Balance">
          <Amount raw={upkeep.balance} {...unit} />
        </Fact>
        <Fact name="Required">
          <Amount raw={upkeep.threshold.required_balance} {...unit} />
        </Fact>
        <Fact name="Shortfall">
          <Amount raw={upkeep.threshold.shortfall} {...unit} />
        </Fact>
      </Facts>
    </Panel>
  );
}
