// A vault that somebody named this wallet on: until it accepts, the vault stays out of what the wallet did not ask for vault by vault.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { meQuery, useMe } from "../../api/roles.ts";
import { Button } from "../../ui/button.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import type { VaultState } from "./queries.ts";

export function AcceptNote({ vault }: { vault: VaultState }) {
  const me = useMe();
  const queries = useQueryClient();
  const accept = useMutation({
    mutationFn: () =>
      call("PUT /api/v1/me/vaults/{vault_id}", {
        path: { vault_id: vault.vault_id },
        body: { accepted: true },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      toast({ tone: "good", title: "Accepted", detail: vault.name ?? "The vault is among yours now." });
    },
    onError: (error) => toastError("Not accepted", error),
  });
  const role = me?.vaults.find(
    ({ chain_id, vault_address }) => chain_id === vault.chain_id && vault_address === vault.vault_address,
  );
  if (role === undefined || role.accepted) return null;
  return (
    <section
      aria-label="Not accepted yet"
      className="mt-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-warning/40 bg-warning-wash p-3"
    >
      <p className="min-w-0 text-ink-2">
        Somebody gave you a role on this vault. Webhooks for all vaults and the list of alerts leave it out
        until you accept it.
      </p>
      <Button isBusy={accept.isPending} disabled={me?.scope === "read"} onClick={() => accept.mutate()}>
        Accept this vault
      </Button>
    </section>
  );
}
