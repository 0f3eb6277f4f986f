// What may be done to a SuperVault's fees and to the rules of its price.
import { type Address, zeroAddress } from "viem";
import type { Action } from "../family/action.ts";
import { action, address, fn, given, givenNumber, must, timeText } from "../family/action-call.ts";
import { ViewBatch, view } from "../family/view.ts";
import { aggregatorCall, PRIMARY, proposal, strategyCall, strategyOf } from "./action-parts.ts";

const DAY = 86_400;
/** As deployed; no view tells them. */
const PROPOSAL_SECONDS = 7 * DAY;
const PARAMETER_CHANGE_SECONDS = 3 * DAY;
const MOST_PERFORMANCE_BPS = 5_100n;
const BPS = 10_000n;
const LEAST_EXPIRATION = 60n;
const MOST_EXPIRATION = 604_800n;
const EXPIRATION = "managePPSExpiration(uint8 action, uint256 newExpiration)";
const effectiveTime = view<bigint>("feeConfigEffectiveTime() view returns (uint256)");

export const PARAMETER_ACTIONS: readonly Action[] = [
  action({
    name: "propose_fee_config",
    title: "Propose another fee configuration",
    description: "The primary manager can carry it out once it has waited.",
    who: PRIMARY,
    parameters: {
      performance_fee_bps: { kind: "bps", title: "Performance fee" },
      management_fee_bps: { kind: "bps", title: "Management fee" },
      recipient: address("Fee recipient"),
    },
    functions: [
      fn(
        "strategy",
        "proposeVaultFeeConfigUpdate(uint256 performanceFeeBps, uint256 managementFeeBps, address recipient)",
        {
          performanceFeeBps: { label: "Performance fee", kind: "bps" },
          managementFeeBps: { label: "Management fee", kind: "bps" },
          recipient: { label: "Fee recipient", kind: "address" },
        },
      ),
    ],
    isTimelocked: true,
    delaySeconds: async () => PROPOSAL_SECONDS,
    plan: async (context) => {
      const performance = givenNumber(context, "performance_fee_bps");
      const management = givenNumber(context, "management_fee_bps");
      const recipient = given<Address>(context, "recipient");
      return {
        calls: [
          strategyCall(
            context,
            "proposeVaultFeeConfigUpdate(uint256 performanceFeeBps, uint256 managementFeeBps, address recipient)",
            performance,
            management,
            recipient,
          ),
        ],
        preconditions: [
          must(
            performance <= MOST_PERFORMANCE_BPS,
            "The performance fee is within what the contract allows.",
            `The performance fee may be at most ${MOST_PERFORMANCE_BPS} basis points.`,
          ),
          must(
            management < BPS,
            "The management fee is below 100 %.",
            `The management fee must be below ${BPS} basis points.`,
          ),
          must(
            recipient !== zeroAddress,
            "The recipient is somebody.",
            "The recipient must not be the zero address.",
          ),
        ],
        execution: {
          calls: [strategyCall(context, "executeVaultFeeConfigUpdate()")],
          delaySeconds: PROPOSAL_SECONDS,
          from: context.from,
        },
      };
    },
  }),
  action({
    name: "execute_fee_config",
    title: "Carry out the proposed fee configuration",
    description: "Once its time has come. The high-water mark becomes the present price.",
    who: PRIMARY,
    functions: [fn("strategy", "executeVaultFeeConfigUpdate()")],
    plan: async (context) => {
      const batch = new ViewBatch();
      const due = batch.add(strategyOf(context), effectiveTime);
      await batch.run(context, context.block);
      const dueAt = due();
      return {
        calls: [strategyCall(context, "executeVaultFeeConfigUpdate()")],
        preconditions: [
          must(dueAt !== 0n, "A fee configuration is proposed.", "No fee configuration is proposed."),
          must(
            dueAt === null || dueAt <= BigInt(context.block.timestamp),
            "Its time has come.",
            `Its time has not come: it can be carried out from ${timeText(Number(dueAt))} on.`,
          ),
        ],
      };
    },
  }),
  action({
    name: "propose_pps_expiration",
    title: "Propose when a price expires",
    description: "How long after an update deposits and redeem requests are taken.",
    who: PRIMARY,
    parameters: { pps_expiration_seconds: { kind: "seconds", title: "Expires after" } },
    functions: [
      fn("strategy", EXPIRATION, {
        action: { label: "0 proposes, 1 carries out, 2 cancels", kind: "integer" },
        newExpiration: { label: "Expires after", kind: "seconds" },
      }),
    ],
    isTimelocked: true,
    delaySeconds: async () => PROPOSAL_SECONDS,
    plan: async (context) => {
      const seconds = givenNumber(context, "pps_expiration_seconds");
      return {
        calls: [strategyCall(context, EXPIRATION, 0, seconds)],
        preconditions: [
          must(
            seconds >= LEAST_EXPIRATION && seconds <= MOST_EXPIRATION,
            "It is within what the contract allows.",
            `It must be from ${LEAST_EXPIRATION} to ${MOST_EXPIRATION} seconds.`,
          ),
          must(
            seconds !== BigInt(context.reading.ppsExpirationSeconds ?? -1),
            "Another expiration is in force.",
            "That expiration is in force already.",
          ),
        ],
        execution: {
          calls: [strategyCall(context, EXPIRATION, 1, 0n)],
          delaySeconds: PROPOSAL_SECONDS,
          from: context.from,
        },
      };
    },
  }),
  ...proposal({
    kind: "pps_expiration",
    what: "the proposed expiration",
    cancel: {
      name: "cancel_pps_expiration",
      who: PRIMARY,
      on: "strategy",
      signature: EXPIRATION,
      args: [2, 0n],
    },
    execute: {
      name: "execute_pps_expiration",
      who: PRIMARY,
      on: "strategy",
      signature: EXPIRATION,
      args: [1, 0n],
    },
  }),
  action({
    name: "propose_min_update_interval",
    title: "Propose the shortest time between two prices",
    description: "It must be below the longest time that a price may be old.",
    who: PRIMARY,
    parameters: { min_update_interval_seconds: { kind: "seconds", title: "Shortest interval" } },
    functions: [
      fn("aggregator", "proposeMinUpdateIntervalChange(address strategy, uint256 interval)", {
        interval: { label: "Shortest interval", kind: "seconds" },
      }),
    ],
    isTimelocked: true,
    delaySeconds: async () => PARAMETER_CHANGE_SECONDS,
    plan: async (context) => {
      const seconds = givenNumber(context, "min_update_interval_seconds");
      const most = context.reading.maxStalenessSeconds;
      return {
        calls: [
          aggregatorCall(
            context,
            "proposeMinUpdateIntervalChange(address strategy, uint256 interval)",
            seconds,
          ),
        ],
        preconditions: [
          must(
            most === null || seconds < BigInt(most),
            "It is below the longest age of a price.",
            `It must be below ${most} seconds, the longest age of a price.`,
          ),
        ],
        execution: {
          calls: [aggregatorCall(context, "executeMinUpdateIntervalChange(address strategy)")],
          delaySeconds: PARAMETER_CHANGE_SECONDS,
          from: null,
        },
      };
    },
  }),
  ...proposal({
    kind: "min_update_interval",
    what: "the proposed interval",
    cancel: {
      name: "cancel_min_update_interval",
      who: PRIMARY,
      on: "aggregator",
      signature: "cancelMinUpdateIntervalChange(address strategy)",
      args: [],
    },
    execute: {
      name: "execute_min_update_interval",
      who: [],
      on: "aggregator",
      signature: "executeMinUpdateIntervalChange(address strategy)",
      args: [],
    },
  }),
  action({
    name: "update_deviation_threshold",
    title: "Set how far a price may move at once",
    description: "A price that moves further is refused.",
    who: PRIMARY,
    parameters: {
      threshold: { kind: "fraction", title: "Threshold", description: "× 10^18: 10^17 is 10 %." },
    },
    functions: [
      fn("aggregator", "updateDeviationThreshold(address strategy, uint256 threshold)", {
        threshold: { label: "Threshold", kind: "fraction" },
      }),
    ],
    plan: async (context) => ({
      calls: [
        aggregatorCall(
          context,
          "updateDeviationThreshold(address strategy, uint256 threshold)",
          givenNumber(context, "threshold"),
        ),
      ],
      preconditions: [],
    }),
  }),
];
