// Where a vault's assets are: what its adapters hold, and each id that has caps, with what it is worth now. The vault's own `allocation(id)` is
// booked when assets move, and is no measure of today.
import type { Address, Hex } from "viem";
import type { Tracked } from "../../governance.ts";
import type { Allocation } from "../../reading.ts";
import { VIEWS } from "../family/vault-views.ts";
import { ifRead, type ViewBatch } from "../family/view.ts";
import { adapterId, type CapId, capIdOf } from "./cap-ids.ts";
import { ADAPTER_VIEWS, VAULT_VIEWS } from "./views.ts";

const WAD = 10n ** 18n;
/** What the contract keeps as "no limit". */
const MOST_ABSOLUTE = 2n ** 128n - 1n;

type Told = Pick<Allocation, "kind" | "address" | "label" | "assets">;

/** Asks for all of it; what it gives is called when the answers are there, and gives what reads them. */
export function askForAllocations(
  batch: ViewBatch,
  vault: Address,
  adapters: readonly Address[],
  tracked: Tracked | undefined,
): () => () => Allocation[] {
  const ofAdapters = adapters.map((adapter) => ({
    adapter,
    id: adapterId(adapter),
    assets: batch.add(adapter, ADAPTER_VIEWS.realAssets),
  }));
  const known = [...(tracked?.id ?? [])].map(([id, { idData }]) => ({
    id: id as Hex,
    about: capIdOf(idData as Hex),
  }));
  const markets = known.flatMap(({ id, about }) => {
    if (about.kind !== "market") return [];
    return [
      { id, ...about, assets: batch.add(about.adapter, ADAPTER_VIEWS.expectedSupplyAssets, about.marketId) },
    ];
  });
  const collaterals = new Set(
    known.flatMap(({ about }) => (about.kind === "collateral" ? [about.token] : [])),
  );
  for (const { collateral } of markets) collaterals.add(collateral);
  const symbols = new Map([...collaterals].map((token) => [token, batch.add(token, VIEWS.symbol)]));
  const ids = new Set([...ofAdapters.map(({ id }) => id), ...known.map(({ id }) => id)]);
  const caps = new Map(
    [...ids].map((id) => [
      id,
      {
        absolute: batch.add(vault, VAULT_VIEWS.absoluteCap, id),
        relative: batch.add(vault, VAULT_VIEWS.relativeCap, id),
        booked: batch.add(vault, VAULT_VIEWS.allocation, id),
      },
    ]),
  );

  return () => {
    const symbolOf = new Map([...symbols].map(([token, symbol]) => [token, ifRead(symbol)]));
    return () => rows(symbolOf);
  };

  function rows(symbolOf: ReadonlyMap<Address, string | null>): Allocation[] {
    const listed = new Set(adapters);
    // What an adapter holds that is no adapter any more is not the vault's.
    const worth = new Map(
      markets.map((each) => [each.id, listed.has(each.adapter) ? each.assets() : 0n] as const),
    );
    const told = (id: Hex, about: CapId): Told => {
      switch (about.kind) {
        case "adapter":
          return { kind: "adapter", address: about.adapter, label: null, assets: 0n };
        case "collateral": {
          const own = markets.filter(({ collateral }) => collateral === about.token);
          const assets = sumOf(own.map((each) => worth.get(each.id)!));
          const label = symbolOf.get(about.token) ?? null;
          return { kind: "collateral", address: about.token, label, assets };
        }
        case "market": {
          const label = marketLabel(symbolOf.get(about.collateral) ?? null, about.lltvE18);
          return { kind: "market", address: about.adapter, label, assets: worth.get(id)! };
        }
        case "unknown":
          return { kind: "strategy", address: null, label: null, assets: null };
      }
    };
    const others = known.filter(({ about }) => about.kind !== "adapter" || !listed.has(about.adapter));
    return [
      ...ofAdapters.map(({ adapter, id, assets }) =>
        row(id, { kind: "adapter", address: adapter, label: null, assets: assets() }),
      ),
      ...others.flatMap(({ id, about }) => {
        const allocation = row(id, told(id, about));
        const isNothing = [allocation.absoluteCap, allocation.assets, caps.get(id)!.booked()].every(
          (value) => !value,
        );
        return isNothing && allocation.isAbsoluteCapped ? [] : [allocation];
      }),
    ];
  }

  function row(id: Hex, about: Told): Allocation {
    const { absolute, relative } = caps.get(id)!;
    const [absoluteCap, relativeCapE18] = [absolute(), relative()];
    const isAbsoluteCapped = absoluteCap !== MOST_ABSOLUTE;
    const isRelativeCapped = relativeCapE18 !== WAD;
    return {
      id,
      ...about,
      absoluteCap: isAbsoluteCapped ? absoluteCap : null,
      isAbsoluteCapped,
      relativeCapE18: isRelativeCapped ? relativeCapE18 : null,
      isRelativeCapped,
    };
  }
}

function sumOf(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0n,
  );
}

/** As markets are called: the collateral, and how much may be borrowed against it. */
function marketLabel(collateral: string | null, lltvE18: bigint): string | null {
  if (collateral === null) return null;
  const hundredths = (lltvE18 * 10_000n + WAD / 2n) / WAD;
  return `${collateral} ${(Number(hundredths) / 100).toString()} %`;
}
