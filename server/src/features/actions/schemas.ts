// The shapes of the actions' API: the catalogue, what a client asks to have prepared, and the prepared action.
import { Type } from "typebox";
import { ACTION_TYPES } from "../../audit/entries/details.ts";
import { ALERT_CATEGORIES } from "../../monitors/categories.ts";
import {
  AddressParam,
  AddressText,
  Nullable,
  named,
  OneOf,
  Quantity,
  strictBody,
  Timestamp,
} from "../../platform/http/schemas.ts";

/** `executed` and `confirmed` go back by a reorganisation; `failed` is a submission that reverted, `replaced` one whose nonce another took. */
export const ACTION_STATUSES = [
  "prepared",
  "submitted",
  "executed",
  "confirmed",
  "replaced",
  "failed",
  "expired",
] as const;

const Hash = (description: string) => Type.String({ pattern: "^0x[0-9a-f]{64}$", description });
export const NonceParam = (description: string) =>
  Type.String({ pattern: "^(0|[1-9][0-9]{0,18})$", description, examples: ["7"] });
const Words = Type.Record(Type.String(), Type.Unknown());

export const CatalogueSchema = named(
  "ActionCatalogue",
  Type.Object({
    actions: Type.Array(
      named(
        "ActionOffer",
        Type.Object({
          action: Type.String({
            description: "The action's name, by which it is prepared.",
            examples: ["pause"],
          }),
          title: Type.String(),
          description: Type.String(),
          who: Type.Array(Type.String(), {
            description: "Contract roles, in the family's own words, any of which may; empty: anybody may.",
          }),
          parameters: Type.Record(Type.String(), Type.Unknown(), {
            description:
              "JSON Schema of `parameters`, an object. `x-kind` of a member says how its value is shown: `assets` and `shares` are raw units, `fraction` is × 10^18, `bps` are basis points.",
          }),
          dispatch_parameters: Nullable(
            Type.Record(Type.String(), Type.Unknown(), {
              description:
                "JSON Schema of the parameters with which a vault's alert rules may name it in `dispatch`; null: it is not a de-risking action. `x-from-alert` of a member names the categories whose alerts tell its value: for those it may be left out.",
            }),
          ),
          is_timelocked: Type.Boolean({ description: "What it does has to wait before it can be executed." }),
          delay_seconds: Nullable(
            Type.Integer({
              description: "How long; null where that depends on the parameters, or is not known.",
            }),
          ),
          can_do: Type.Boolean({
            description: "The caller, or a Safe for which the caller signs, holds one of these roles.",
          }),
          why_not: Nullable(Type.String()),
        }),
      ),
    ),
  }),
);

/** What is asked for. The parameters are held against the action's own schema by the handler. */
export const PrepareSchema = named(
  "NewPreparedAction",
  strictBody({
    action: Type.String({ minLength: 1, maxLength: 64, description: "A name of the catalogue." }),
    parameters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "As the action's schema says; `{}` where left out.",
      }),
    ),
    from: Type.Optional({
      ...AddressParam,
      description:
        "Who will send the calls. Left out: the caller where he holds the role, else the one Safe for which he signs that does.",
    }),
    safe_nonce: Type.Optional(
      NonceParam("The nonce of the Safe's transaction: with it `formats.safe` has the hashes to compare."),
    ),
  }),
);

const CallSchema = named(
  "ActionCall",
  Type.Object({
    to: AddressText,
    value: Quantity,
    data: Type.String({ pattern: "^0x([0-9a-f]{2})*$" }),
    function: Type.String(),
    arguments: Words,
  }),
);

const ChangeSchema = named(
  "ForetoldChange",
  Type.Object({
    field: Type.String({
      description: "A dotted path into the vault's record, members of lists by number.",
      examples: ["managers.primary"],
    }),
    before: Type.Unknown(),
    after: Type.Unknown(),
    moves_with_time: Type.Boolean({
      description: "`after` is another when the calls are made later: it holds for the simulated time alone.",
    }),
  }),
);

const EntrySchema = named(
  "ForetoldEntry",
  Type.Object({
    action_type: OneOf(ACTION_TYPES),
    vault_address: AddressText,
    chain_id: Type.Integer(),
    actor_wallet: Nullable(AddressText),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: "As in the audit log; null what only the mined block knows.",
    }),
  }),
);

const AlertSchema = named(
  "ForetoldAlert",
  Type.Object({
    category: OneOf(ALERT_CATEGORIES),
    severity: OneOf(["info", "warning", "critical"]),
    title: Type.String(),
    message: Type.String(),
  }),
);

const ErrorSchema = named(
  "ActionError",
  Type.Object({
    call: Type.Integer({ description: "Which of the calls reverted, from 0." }),
    selector: Nullable(Type.String({ description: "Of the error; null where the contract gave none." })),
    name: Nullable(Type.String({ description: "null for an error that is not known." })),
    arguments: Nullable(Words),
    data: Type.String({ description: "What it reverted with, its first 4,096 bytes at most." }),
  }),
);

const outcome = {
  block_number: Type.Integer(),
  block_timestamp: Timestamp,
  ok: Nullable(Type.Boolean()),
  error: Nullable(ErrorSchema),
  changes: Nullable(Type.Array(ChangeSchema)),
  entries: Nullable(
    Type.Array(EntrySchema, { description: "The audit entries that it would write, in order." }),
  ),
  alerts: Nullable(Type.Array(AlertSchema, { description: "The alerts that it would open." })),
};

export const SimulationSchema = named(
  "ActionSimulation",
  Type.Object({
    method: OneOf(["eth_simulateV1", "eth_call"], {
      description: "By `eth_call` the first call alone is judged: the rest is null, for the reason given.",
    }),
    /** Of the block that stands; the simulated one is its child. */
    block_hash: Hash("Of the block on which it was simulated."),
    ...outcome,
    unavailable_reason: Nullable(Type.String()),
    at_execution: Nullable(
      named(
        "ActionAtExecution",
        Type.Object(outcome, {
          description: "The same at the moment at which a timelocked call can be executed.",
        }),
      ),
    ),
  }),
);

const SafeTransaction = Type.Object(
  {
    to: AddressText,
    value: Quantity,
    data: Type.String({ pattern: "^0x([0-9a-f]{2})*$" }),
    operation: Type.Integer({ description: "0: a call; 1: a delegatecall, to MultiSendCallOnly." }),
    safeTxGas: Quantity,
    baseGas: Quantity,
    gasPrice: Quantity,
    gasToken: AddressText,
    refundReceiver: AddressText,
    nonce: Quantity,
  },
  { description: "What is signed, by the names of EIP-712's `SafeTx`." },
);

/** A Safe's transaction with what a device shows of it. */
const signedTransaction = {
  transaction: SafeTransaction,
  domain: Hash("Of the Safe and its chain."),
  message: Hash("Of the transaction's members."),
  safe_tx_hash: Hash("What is signed: made of the other two."),
};

const OwnerSafeSchema = named(
  "ActionOwnerSafe",
  Type.Object({
    safe: AddressText,
    approval: Nullable(
      Type.Object(signedTransaction, {
        description:
          "Its own transaction, which approves the Safe's by `approveHash`; null without `owner_nonce`.",
      }),
    ),
    signature: Nullable(
      Type.Object(
        {
          content: Type.String({ pattern: "^0x([0-9a-f]{2})*$", description: "What the message holds." }),
          domain: Hash("Of the owning Safe and its chain."),
          message: Hash("Of the message's content."),
          safe_message_hash: Hash("What is signed: made of the other two."),
        },
        {
          description:
            "The other way: a `SafeMessage` that its owners sign, whose signatures go with the Safe's transaction (EIP-1271). null where the Safe's version is not known.",
        },
      ),
    ),
  }),
);

const SafeSchema = named(
  "ActionSafeTransaction",
  Type.Object(
    {
      ...signedTransaction,
      owner_safes: Type.Array(OwnerSafeSchema, {
        description:
          "Safes that own the Safe: they sign no hash of its, but agree in one of two ways of their own.",
      }),
    },
    { description: "With `safe_nonce` alone: the Safe's transaction, and the hashes that signers compare." },
  ),
);

/** What wallets take; `features/actions/formats` makes them. */
export const FormatsSchema = named(
  "ActionFormats",
  Type.Object({
    eip5792: Type.Record(Type.String(), Type.Unknown(), { description: "Parameters of `wallet_sendCalls`." }),
    safe_transaction_builder: Type.Record(Type.String(), Type.Unknown(), {
      description: "A file for Safe's transaction builder, with its checksum.",
    }),
    safe: Type.Optional(SafeSchema),
  }),
);

const SubmissionSchema = named(
  "ActionSubmission",
  Type.Object({
    transaction_hash: Nullable(Hash("Of a transaction that was sent.")),
    safe_tx_hash: Nullable(Hash("Of a Safe's transaction that was proposed.")),
    submitted_at: Timestamp,
    status: OneOf(["pending", "executed", "failed", "replaced", "unrelated"], {
      description:
        "`unrelated`: a confirmed transaction that did not do what was prepared, or one that no node has known for a day. It counts for nothing.",
    }),
  }),
);

export const PreparedActionSchema = named(
  "PreparedAction",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    chain_id: Type.Integer(),
    vault_address: AddressText,
    action: Type.String(),
    title: Type.String(),
    parameters: Words,
    from: AddressText,
    calls: Type.Array(CallSchema),
    preconditions: Type.Array(
      named("ActionPrecondition", Type.Object({ ok: Type.Boolean(), text: Type.String() })),
    ),
    simulation: Nullable(SimulationSchema),
    simulation_unavailable_reason: Nullable(Type.String()),
    formats: FormatsSchema,
    status: OneOf(ACTION_STATUSES),
    submissions: Type.Array(SubmissionSchema),
    transaction_hash: Nullable(Hash("Of the transaction that did it.")),
    entry_ids: Type.Array(Type.String({ format: "uuid" }), {
      description: "The audit entries that it wrote, once its block is confirmed.",
    }),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

export const PreparedActionsSchema = named(
  "PreparedActions",
  Type.Object({ prepared_actions: Type.Array(PreparedActionSchema) }),
);
