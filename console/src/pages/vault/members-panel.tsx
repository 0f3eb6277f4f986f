// Whom the vault's managers let in: operators and viewers, given and taken here. Managers themselves follow the chain.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Answer } from "@vaultops/sdk/client";
import { UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useGivableRoles } from "../../api/permissions.ts";
import type { VaultId } from "../../api/vaults.ts";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmByName, Dialog } from "../../ui/form/dialog.tsx";
import { Field, Input, Segmented } from "../../ui/form/field.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { membersQuery } from "./queries.ts";

const MEMBER = "/api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}";

type Member = Answer<"GET /api/v1/vaults/{chain_id}/{vault_address}/members">[number];
type GivenRole = ReturnType<typeof useGivableRoles>[number];

export function MembersPanel({ id }: { id: VaultId }) {
  const query = useQuery(membersQuery(id));
  const givable = useGivableRoles({ chain_id: id.chain_id, vault_address: id.address });
  const [isGiving, setIsGiving] = useState(false);
  return (
    <Panel
      title="Operators and viewers"
      aside={
        givable.length > 0 && (
          <Button size="small" icon={UserPlus} onClick={() => setIsGiving(true)}>
            Let a wallet in
          </Button>
        )
      }
    >
      <Loaded query={query} rows={1}>
        {(members) => {
          const given = members.filter(({ granted_by }) => granted_by !== null);
          return given.length === 0 ? (
            <Nothing>Nobody was let in: the vault is seen by its managers alone.</Nothing>
          ) : (
            <ul aria-label="Operators and viewers" className="-my-1 flex flex-col divide-y">
              {given.map((member) => (
                <OneMember
                  key={member.wallet}
                  id={id}
                  member={member}
                  isMine={givable.some((role) => role === member.role)}
                />
              ))}
            </ul>
          );
        }}
      </Loaded>
      <Dialog
        title="Let a wallet in"
        description="It is written to the audit log, and counts from the wallet's next request."
        isOpen={isGiving}
        onClose={() => setIsGiving(false)}
      >
        <GiveForm id={id} roles={givable} onClose={() => setIsGiving(false)} />
      </Dialog>
    </Panel>
  );
}

/** `isMine`: it is the caller's to take back. */
function OneMember({ id, member, isMine }: { id: VaultId; member: Member; isMine: boolean }) {
  const { wallet, role, granted_by: givenBy, granted_at: givenAt } = member;
  const changed = useMembersChanged(id);
  const [isTaking, setIsTaking] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(`DELETE ${MEMBER}`, { path: memberPath(id, wallet) }),
    onSuccess: () => {
      setIsTaking(false);
      toast({ tone: "good", title: `${words(role)} no more`, detail: wallet });
    },
    onError: (error) => toastError("The role was not taken back", error),
    onSettled: changed,
  });
  return (
    <li className="py-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="flex items-center gap-2">
          <Address value={wallet} chainId={id.chain_id} label={words(role)} />
          <Badge>{words(role)}</Badge>
        </span>
        {isMine && (
          <Button
            size="small"
            look="quiet"
            icon={UserMinus}
            aria-label={`Take ${role} back from ${wallet}`}
            onClick={() => setIsTaking(true)}
          />
        )}
      </div>
      {givenBy !== null && (
        <p className="flex flex-wrap items-center gap-x-1 text-xs text-ink-3">
          by <Address value={givenBy} chainId={id.chain_id} label="giver" />
          {givenAt !== null && <Time at={givenAt} exact="hover" />}
        </p>
      )}
      <ConfirmByName
        title={`Take ${words(role)} back`}
        name={wallet}
        action="Take back"
        isOpen={isTaking}
        isBusy={isPending}
        onClose={() => setIsTaking(false)}
        onConfirm={() => mutate()}
      >
        {wallet} sees no more of the vault than everybody does, from its next request. It may be let in again.
      </ConfirmByName>
    </li>
  );
}

function GiveForm({ id, roles, onClose }: { id: VaultId; roles: readonly GivenRole[]; onClose(): void }) {
  const changed = useMembersChanged(id);
  const [typed, setTyped] = useState("");
  const [role, setRole] = useState<GivenRole>("view_only");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(`PUT ${MEMBER}`, { path: memberPath(id, typed.trim()), body: { role } }),
    onSuccess: async ({ wallet }) => {
      await changed();
      toast({ tone: "good", title: `${words(role)} now`, detail: wallet });
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label="Wallet" error={faultAt(error, "/wallet")}>
        {(field) => (
          <Input
            {...field}
            required
            pattern="\s*0x[0-9a-fA-F]{40}\s*"
            title="An address: 0x and 40 hexadecimal digits"
            placeholder="0x…"
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        <Segmented<GivenRole>
          label="Role"
          value={role}
          options={roles.map((one) => [one, words(one)] as const)}
          onChange={setRole}
        />
        <p className="min-w-0 flex-1 text-xs text-ink-3">{MEANING[role]}</p>
      </div>
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isPending}>
        Let in
      </FormButtons>
    </form>
  );
}

const MEANING: Readonly<Record<GivenRole, string>> = {
  view_only: "Sees all of the vault and changes nothing.",
  operator:
    "Sees all of it, and works with channels, alert rules, acknowledgements, silences and webhooks. Lets nobody in.",
};

function memberPath({ chain_id, address }: VaultId, wallet: string) {
  return { chain_id, vault_address: address, wallet };
}

function useMembersChanged(id: VaultId): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: membersQuery(id).queryKey });
}
