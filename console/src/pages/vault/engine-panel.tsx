import { useQuery } from "@tanstack/react-query";
import type { VaultId } from "../../api/vaults.ts";
import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import { Address, Hash } from "../../parts/address.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { MoreLink } from "../../ui/more-link.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Countdown, Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import { merkleQuery, type SessionKey, type Shard, sessionKeyQuery, shardQuery } from "./queries.ts";

/** The engine's side: the shard that runs the vault with its locks, the session key, the merkle roots. */
export function EnginePanel({ id }: { id: VaultId }) {
  return (
    <>
      <ShardPanel id={id} />
      <KeysPanel id={id} />
    </>
  );
}

function ShardPanel({ id }: { id: VaultId }) {
  const query = useQuery({ ...shardQuery(id), retry: false });
  const shard = query.data;
  return (
    <Panel
      title="Engine"
      aside={
        shard && (
          <Badge tone={shard.is_stale ? "neutral" : "good"}>{shard.is_stale ? "Silent" : "Reporting"}</Badge>
        )
      }
    >
      <Loaded query={query} whenCode={{ shard_not_found: <Nothing>No shard runs this vault.</Nothing> }}>
        {(state) => <ShardFacts shard={state} chainId={id.chain_id} />}
      </Loaded>
    </Panel>
  );
}

function ShardFacts({ shard, chainId }: { shard: Shard; chainId: number }) {
  const { mode } = shard.fields as { mode?: unknown };
  return (
    <>
      <Facts>
        {typeof mode === "string" && <Fact name="Mode">{words(mode)}</Fact>}
        <Fact name="Active intents">
          <MoreLink to="/intents" search={{ vault: shard.vault_id }}>
            <span className="num">{shard.active_intent_count}</span>
          </MoreLink>
        </Fact>
        <Fact name="Strategies">
          <span className="num">{shard.strategy_count}</span>
        </Fact>
        <Fact name="Reported">
          <Time at={shard.reported_at} />
          <span className="block text-xs text-ink-3">every {duration(shard.tick_interval_seconds)}</span>
        </Fact>
      </Facts>
      <h3 className="mt-3 mb-1 text-xs font-medium text-ink-2">Emergency locks</h3>
      {shard.emergency_locks.length === 0 ? (
        <Nothing>None.</Nothing>
      ) : (
        <ul aria-label="Emergency locks" className="flex flex-col gap-1.5">
          {shard.emergency_locks.map(
            ({ strategy_id: strategy, target_address: target, started_at: at, reason }) => (
              <li key={`${strategy} ${target}`} className="rounded-md bg-raised px-2.5 py-1.5">
                <div className="flex flex-wrap items-center justify-between gap-x-2">
                  <Address value={target} chainId={chainId} label="locked target" />
                  <Time at={at} exact="hover" />
                </div>
                <p className="text-xs text-ink-2">
                  {strategy}: {reason}
                </p>
              </li>
            ),
          )}
        </ul>
      )}
    </>
  );
}

function KeysPanel({ id }: { id: VaultId }) {
  const key = useQuery(sessionKeyQuery(id));
  const merkle = useQuery(merkleQuery(id));
  return (
    <Panel title="Session key and hooks root">
      <Loaded query={key}>{(data) => <KeyFacts sessionKey={data} chainId={id.chain_id} />}</Loaded>
      <div className="mt-2 border-t pt-2">
        <Loaded query={merkle}>
          {({ onchain, jobs }) => (
            <Facts>
              <Fact name="Root in force">
                {onchain === null || /^0x0+$/.test(onchain.root) ? (
                  <span className="text-ink-3">none</span>
                ) : (
                  <Hash value={onchain.root} label="root in force" />
                )}
              </Fact>
              {onchain?.proposed_root && (
                <Fact name="Proposed root">
                  <Hash value={onchain.proposed_root} label="proposed root" />
                </Fact>
              )}
              {jobs.slice(0, 2).map((job) => (
                <Fact key={job.job_id} name={`${words(job.kind)} job`}>
                  <Badge
                    tone={job.status === "failed" ? "critical" : job.status === "success" ? "good" : "accent"}
                  >
                    {words(job.status)}
                  </Badge>
                  <span className="ml-2 text-xs text-ink-3">
                    <Time at={job.finished_at ?? job.started_at} exact="hover" />
                  </span>
                </Fact>
              ))}
            </Facts>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

function KeyFacts({ sessionKey: key, chainId }: { sessionKey: SessionKey; chainId: number }) {
  if (key.reported_at === null) return <Nothing>No session key has been reported.</Nothing>;
  const isReady = key.is_ready === true && !key.is_expired;
  return (
    <Facts>
      <Fact name="Session key">
        {key.key_address === null ? (
          <Unknown />
        ) : (
          <Address value={key.key_address} chainId={chainId} label="session key" />
        )}
        <span className="ml-2">
          <Badge tone={isReady ? "good" : "neutral"} {...(key.reason && { tip: key.reason })}>
            {isReady ? "Ready" : key.is_expired ? "Expired" : "Not ready"}
          </Badge>
        </span>
      </Fact>
      <Fact name="Expires in">
        <Countdown until={key.expires_at} over="expired" />
      </Fact>
    </Facts>
  );
}
