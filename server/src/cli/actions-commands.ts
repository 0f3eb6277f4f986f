// The commands of prepared actions: what may be done to a vault, having it prepared, what became of it. They ask a service that runs elsewhere;
// what is prepared is signed by a wallet or a Safe, never here.
import type { Hex } from "viem";
import type { ActionClient } from "./actions.ts";
import { type Command, endSignal, oneOf, UsageError } from "./command.ts";

const URL_OPTION = {
  url: "Where the service answers (default: http://127.0.0.1:8080). The token is VAULTOPS_TOKEN; without it, one is got with VAULTOPS_PRIVATE_KEY.",
};
const ID = { id: "The prepared action." };
const FORMAT = {
  format:
    "Print one form alone, to be saved or handed on: eip5792, safe_transaction_builder or safe (its transaction and hashes).",
};
const JSON_FLAG = { json: "Print what the service answers." };
const VAULT = "vault_id";

type Options = Record<string, string | undefined>;

async function asked(
  options: Options,
  work: (client: ActionClient) => Promise<number | undefined>,
): Promise<number> {
  const { environmentSecretIfAny } = await import("../config/load.ts");
  const { createActionClient } = await import("./actions.ts");
  const client = createActionClient({
    baseUrl: options.url ?? "http://127.0.0.1:8080",
    token: environmentSecretIfAny("VAULTOPS_TOKEN"),
    privateKey: environmentSecretIfAny("VAULTOPS_PRIVATE_KEY") as Hex | null,
    isJson: options.json !== undefined,
    format:
      options.format === undefined
        ? null
        : oneOf(options.format, ["eip5792", "safe_transaction_builder", "safe"] as const, "--format"),
    print: console.log,
  });
  return (await work(client)) ?? 0;
}

function needed(options: Options, name: string): string {
  const value = options[name];
  if (value === undefined) throw new UsageError(`--${name} is needed.`);
  return value;
}

export const ACTION_COMMANDS: readonly Command[] = [
  {
    name: "actions list",
    summary: "What may be done to a vault, and whether you can; or what you have prepared.",
    takes: VAULT,
    options: URL_OPTION,
    flags: { prepared: "List what you have prepared, the newest first.", ...JSON_FLAG },
    run: (options, vault) =>
      asked(options, (client) => (options.prepared ? client.listPrepared(vault) : client.list(vault))),
  },
  {
    name: "actions prepare",
    summary: "Have an action prepared and simulated, for somebody to sign elsewhere.",
    takes: VAULT,
    options: {
      action: "Its name, as `actions list` shows it.",
      parameters: "Its parameters as JSON (default: {}).",
      from: "Who will send the calls (default: you, or the one Safe for which you sign).",
      "safe-nonce": "The nonce of the Safe's transaction, for the hashes that its owners compare.",
      ...FORMAT,
      ...URL_OPTION,
    },
    flags: JSON_FLAG,
    run: (options, vault) =>
      asked(options, (client) =>
        client.prepare(vault, {
          action: needed(options, "action"),
          parameters: parametersOf(options.parameters ?? "{}"),
          ...(options.from !== undefined && { from: options.from }),
          ...(options["safe-nonce"] !== undefined && { safe_nonce: options["safe-nonce"] }),
        }),
      ),
  },
  {
    name: "actions show",
    summary: "A prepared action: its calls, what they would do, and how far it is.",
    takes: VAULT,
    options: {
      ...ID,
      "owner-nonce":
        "Where a Safe owns the Safe that acts: the nonce of the transaction by which it approves, for its hashes.",
      ...FORMAT,
      ...URL_OPTION,
    },
    flags: JSON_FLAG,
    run: (options, vault) =>
      asked(options, (client) => client.show(vault, needed(options, "id"), options["owner-nonce"])),
  },
  {
    name: "actions submit",
    summary: "Tell the service what was submitted for a prepared action.",
    takes: VAULT,
    options: {
      ...ID,
      transaction: "The hash of the transaction.",
      "safe-tx": "The hash of the Safe's transaction, where that is what was proposed.",
      ...URL_OPTION,
    },
    flags: JSON_FLAG,
    run: (options, vault) =>
      asked(options, (client) => client.submit(vault, needed(options, "id"), submissionOf(options))),
  },
  {
    name: "actions watch",
    summary: "Print each state of a prepared action until it is confirmed (exit code 0), or will not be (1).",
    takes: VAULT,
    options: { ...ID, ...URL_OPTION },
    flags: JSON_FLAG,
    run: (options, vault) =>
      asked(options, (client) => client.watch(vault, needed(options, "id"), endSignal())),
  },
];

function parametersOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("--parameters is not JSON.");
  }
}

function submissionOf(options: Options): object {
  const { transaction, "safe-tx": safeTx } = options;
  if ((transaction === undefined) === (safeTx === undefined))
    throw new UsageError("Give either --transaction or --safe-tx.");
  return transaction === undefined ? { safe_tx_hash: safeTx } : { transaction_hash: transaction };
}
