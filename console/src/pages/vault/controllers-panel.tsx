import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import type { VaultState } from "./queries.ts";

type Controller = VaultState["controllers"][number];

/** Who stands behind the roles: the owners of a Safe, the proposers and the delay of a timelock. Nothing where nobody does. */
export function ControllersPanel({ vault }: { vault: VaultState }) {
  const behind = vault.controllers.filter(({ kind }) => kind !== "eoa");
  if (behind.length === 0) return null;
  return (
    <Panel title="Who stands behind the roles">
      <ul className="-my-2 flex flex-col divide-y">
        {behind.map((controller) => (
          <li key={controller.address} className="py-2.5">
            <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <Address value={controller.address} chainId={vault.chain_id} label={KINDS[controller.kind]} />
              <span className="flex flex-wrap gap-1.5">
                <Badge>{KINDS[controller.kind]}</Badge>
                {controller.roles.map((role) => (
                  <Badge key={role} tone="accent">
                    {words(role)}
                  </Badge>
                ))}
              </span>
            </div>
            <Facts>
              <Behind controller={controller} chainId={vault.chain_id} />
            </Facts>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const KINDS: Record<Controller["kind"], string> = {
  eoa: "Wallet",
  safe: "Safe",
  timelock: "Timelock",
  proxy_admin: "Proxy admin",
  contract: "Contract",
};

function Behind({ controller, chainId }: { controller: Controller; chainId: number }) {
  const { owners, threshold, modules, guard, min_delay_seconds: delay, proposers, version } = controller;
  return (
    <>
      {threshold !== null && (
        <Fact name="Signatures">
          <span className="num">
            {threshold} of {owners.length}
          </span>
        </Fact>
      )}
      <Accounts name={threshold === null ? "Owner" : "Signers"} of={owners} chainId={chainId} />
      {proposers !== null && <Accounts name="Proposers" of={proposers} chainId={chainId} />}
      {delay !== null && <Fact name="Shortest delay">{duration(delay)}</Fact>}
      <Accounts name="Modules" tip="They act without signatures" of={modules} chainId={chainId} />
      {guard !== null && (
        <Fact name="Guard">
          <Address value={guard} chainId={chainId} label="guard" />
        </Fact>
      )}
      {version !== null && <Fact name="Version">{version}</Fact>}
    </>
  );
}

function Accounts({
  name,
  tip,
  of,
  chainId,
}: {
  name: string;
  tip?: string;
  of: readonly string[];
  chainId: number;
}) {
  if (of.length === 0) return null;
  return (
    <Fact name={name} {...(tip && { tip })}>
      <span className="flex flex-col items-end gap-1.5">
        {of.map((account) => (
          <Address key={account} value={account} chainId={chainId} label={name.toLowerCase()} />
        ))}
      </span>
    </Fact>
  );
}
