// What Ponder does with each event: one row, with who acted.
import { type Event, ponder } from "ponder:registry";
import { flow, price, vault } from "ponder:schema";

const placeOf = (
  event:
    | Event<"Vault:Deposit">
    | Event<"Vault:Transfer">
    | Event<"Vault:Withdraw">
    | Event<"Aggregator:PPSUpdated">,
) => ({
  id: event.id,
  blockNumber: event.block.number,
  blockTimestamp: event.block.timestamp,
  transactionHash: event.transaction.hash,
  actor: event.transaction.from,
});

ponder.on("Aggregator:VaultDeployed", async ({ event, context }) => {
  await context.db
    .insert(vault)
    .values({ address: event.args.vault, strategy: event.args.strategy, name: event.args.name });
});
ponder.on("Aggregator:PPSUpdated", async ({ event, context }) => {
  await context.db
    .insert(price)
    .values({ ...placeOf(event), strategy: event.args.strategy, pps: event.args.pps });
});
ponder.on("Vault:Transfer", async ({ event, context }) => {
  const { from, value } = event.args;
  await context.db
    .insert(flow)
    .values({ ...placeOf(event), kind: "transfer", vault: event.log.address, account: from, shares: value });
});
ponder.on("Vault:Deposit", async ({ event, context }) => {
  const { owner, assets, shares } = event.args;
  await context.db
    .insert(flow)
    .values({ ...placeOf(event), kind: "deposit", vault: event.log.address, account: owner, assets, shares });
});
ponder.on("Vault:Withdraw", async ({ event, context }) => {
  const { owner, assets, shares } = event.args;
  await context.db.insert(flow).values({
    ...placeOf(event),
    kind: "withdraw",
    vault: event.log.address,
    account: owner,
    assets,
    shares,
  });
});
