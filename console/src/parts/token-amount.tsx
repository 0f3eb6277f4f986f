import { useQuery } from "@tanstack/react-query";
import { POLL_MS, polled } from "../api/client.ts";
import { Amount } from "../ui/amount.tsx";
import { Address } from "./address.tsx";

const tokensQuery = polled("GET /api/v1/registry/token-assets", { query: {} }, POLL_MS.slow);

/** Raw units of a token by its address; of one that is not in the registry, the integer as it is. */
export function TokenAmount({ raw, token, chainId }: { raw: string; token: string; chainId: number }) {
  const { data: tokens } = useQuery(tokensQuery);
  const known = tokens?.find((one) => one.chain_id === chainId && one.address === token);
  if (typeof known?.decimals === "number")
    return <Amount raw={raw} decimals={known.decimals} symbol={known.symbol} />;
  return (
    <span className="inline-flex items-center gap-1">
      <span className="num" data-tip="raw units: the token's decimals are not known">
        {raw}
      </span>
      <Address value={token} chainId={chainId} label="token address" />
    </span>
  );
}
