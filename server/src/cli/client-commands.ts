// The commands of those who use the API: they sign in at a service that runs elsewhere, receive its webhooks, read its description.
import type { Hex } from "viem";
import { type Command, oneOf, wholeNumber } from "./command.ts";

export const CLIENT_COMMANDS: readonly Command[] = [
  {
    name: "token",
    summary: "Sign in with the private key in VAULTOPS_PRIVATE_KEY and print a JWT.",
    options: {
      url: "Where the service answers (default: http://127.0.0.1:8080).",
      scope: "full or read (default: full). A read token is refused by everything that writes.",
      "expires-in": "Lifetime of a read token in seconds, at most 86400.",
      chain: "The chain to sign in on (default: the service's first).",
    },
    async run(options) {
      const { environmentSecret } = await import("../config/load.ts");
      const privateKey = environmentSecret("VAULTOPS_PRIVATE_KEY");
      const { tokenCommand } = await import("./sign-in.ts");
      const scope = oneOf(options.scope ?? "full", ["full", "read"] as const, "--scope");
      console.log(
        await tokenCommand({
          baseUrl: options.url ?? "http://127.0.0.1:8080",
          privateKey: privateKey as Hex,
          scope,
          ...(options["expires-in"] === undefined
            ? {}
            : { expiresInSeconds: wholeNumber(options["expires-in"], "--expires-in") }),
          ...(options.chain === undefined ? {} : { chainId: wholeNumber(options.chain, "--chain") }),
        }),
      );
      return 0;
    },
  },
  {
    name: "listen",
    summary: "Receive webhooks on this machine, print them, and forward them to a program of yours.",
    options: {
      port: "Where to listen on 127.0.0.1 (default: any free port).",
      "forward-to": "Where to forward deliveries, e.g. http://127.0.0.1:3000/hook (default: nowhere).",
      url: "Where the service answers (default: http://127.0.0.1:8080). With VAULTOPS_PRIVATE_KEY an endpoint is created there and deleted at the end.",
    },
    async run(options) {
      const { environmentSecretIfAny } = await import("../config/load.ts");
      const { listenCommand } = await import("./listen-command.ts");
      const stop = new AbortController();
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
      return listenCommand({
        port: options.port === undefined ? 0 : wholeNumber(options.port, "--port"),
        forwardTo: options["forward-to"] ?? null,
        baseUrl: options.url ?? "http://127.0.0.1:8080",
        privateKey: environmentSecretIfAny("VAULTOPS_PRIVATE_KEY"),
        secret: environmentSecretIfAny("VAULTOPS_WEBHOOK_SECRET"),
        print: console.log,
        signal: stop.signal,
      });
    },
  },
  {
    name: "openapi",
    summary: "Print the description of the API (OpenAPI 3.1).",
    options: {},
    async run() {
      const { describeFeatures } = await import("../service/features.ts");
      process.stdout.write(await describeFeatures());
      return 0;
    },
  },
];
