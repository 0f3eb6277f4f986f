/** The state of the shard that runs each vault, every tick: its strategy, where the assets are, and what an emergency exit locks. */
import { type EngineContext, readLiveTrios, vaultIdOf } from "./engine-context.ts";
import { countActive, strategyIdOf } from "./intents.ts";

export const TICK_SECONDS = 5;

/** Reports one tick of every live vault. */
export async function reportShards(context: EngineContext): Promise<void> {
  for (const { key, trio, state } of await readLiveTrios(context)) {
    const exit = context.exits.get(key);
    const strategyId = strategyIdOf(key);
    const inUse = new Set(state.sourcesInUse.map(BigInt));
    const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
    context.reporter.report("vaultops.shard.state", {
      vault: vaultIdOf(context.deployment, key),
      data: {
        strategy_count: 1,
        active_intent_count: countActive(context, key),
        tick_interval: TICK_SECONDS,
        fields: {
          mode: exit ? "emergency_exit" : state.isPaused ? "paused" : "normal",
          pps: state.pps.toString(),
          total_assets: held.toString(),
          idle_assets: state.idle.toString(),
          queued_redeems: context.queueLengths.get(key) ?? 0,
        },
        strategies: [{ strategy_id: strategyId, strategy_address: trio.strategy, name: trio.name }],
        allocations: [
          ...trio.yieldSources.map((source, index) => ({
            strategy_id: strategyId,
            target_address: source,
            assets: (state.allocated[index] ?? 0n).toString(),
            is_in_use: inUse.has(BigInt(source)),
          })),
          {
            strategy_id: strategyId,
            target_address: trio.strategy,
            assets: state.idle.toString(),
            is_in_use: true,
          },
        ],
        emergency_locks: exit
          ? state.sourcesInUse.map((source) => ({
              strategy_id: strategyId,
              target_address: source,
              started_at: new Date(exit.sinceMs).toISOString(),
              reason: exit.reason,
            }))
          : [],
      },
    });
  }
}
