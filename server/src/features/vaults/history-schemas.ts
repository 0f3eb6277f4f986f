// The documented shapes of a vault's histories: prices, and yields over windows.
import { Type } from "typebox";
import { Nullable, named, Quantity, Timestamp } from "../../platform/http/schemas.ts";
import { Rate } from "./schemas.ts";

const NextCursor = Nullable(
  Type.String({ description: "Pass it as `cursor` for what follows; null at the end." }),
);

export const PpsHistorySchema = named(
  "PpsHistory",
  Type.Object({
    points: Type.Array(
      named(
        "PpsPoint",
        Type.Object({
          timestamp: Timestamp,
          pps: Nullable(Quantity),
          tvl: Nullable(Quantity),
          tvl_usd: Nullable(Type.Number()),
          block_number: Type.Integer(),
        }),
      ),
    ),
    next_cursor: NextCursor,
  }),
);

const PerWindow = <T extends ReturnType<typeof Nullable>>(value: T) =>
  Type.Object({ "1d": value, "7d": value, "30d": value, inception: value });

export const ApyHistorySchema = named(
  "ApyHistory",
  Type.Object({
    windows: PerWindow(Rate("Realised net APY")),
    window_details: PerWindow(
      Nullable(
        named(
          "ApyWindow",
          Type.Object({
            from_timestamp: Timestamp,
            to_timestamp: Timestamp,
            from_pps: Quantity,
            to_pps: Quantity,
            from_pps_e18: Type.String({
              description:
                "`from_pps` × 10^18, with as many digits as the contract gives: what the yield is computed from.",
            }),
            to_pps_e18: Type.String({ description: "`to_pps` × 10^18, likewise." }),
            seconds: Type.Integer(),
          }),
        ),
      ),
    ),
    unavailable_reasons: Type.Record(Type.String(), Type.String()),
    points: Type.Array(
      named("ApyPoint", Type.Object({ timestamp: Timestamp, apy_7d: Rate("7-day figure at that time") })),
    ),
    next_cursor: NextCursor,
  }),
);
