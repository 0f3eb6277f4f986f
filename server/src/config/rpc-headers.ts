// The headers of RPC nodes (`chains[].rpc_urls[].headers`): each value comes from a file that is named, or from the environment with the
// rest of the chain, never from the configuration file itself, which ends up in repositories and tickets.
import { readFileSync } from "node:fs";
import { originOf, PREFIX, type RawConfig } from "./read.ts";

/** A header's name (RFC 9110 section 5.1) that the service does not set itself. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const VALUE = /^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;
const OWN = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "upgrade",
]);

/** Puts the content of files in place of their names, names in lowercase. Returns what is wrong; no message quotes a value. */
export function takeRpcHeaders(raw: RawConfig): string[] {
  const faults: string[] = [];
  for (const [c, chain] of listOf(raw.tree.chains).entries()) {
    for (const [u, node] of listOf(isMap(chain) ? chain.rpc_urls : undefined).entries()) {
      if (!isMap(node) || !isMap(node.headers)) continue;
      const taken: Record<string, string> = {};
      for (const [name, value] of Object.entries(node.headers)) {
        const path = `chains.${c}.rpc_urls.${u}.headers.${name}`;
        const origin = originOf(raw, path);
        const fault = (message: string) => {
          const shown = `chains[${c}].rpc_urls[${u}].headers.${name}`;
          faults.push(`${origin === null ? "" : `${origin}: `}${shown} ${message}`);
        };
        if (!NAME.test(name)) fault("is not the name of a header");
        else if (OWN.has(name.toLowerCase())) fault("is a header that the service sets itself");
        else {
          const text = textOf(value, origin?.startsWith(PREFIX) === true, fault);
          if (text !== null && !VALUE.test(text)) fault("is no value that a header can have");
          else if (text !== null) {
            taken[name.toLowerCase()] = text;
            const at = `chains.${c}.rpc_urls.${u}.headers.${name.toLowerCase()}`;
            if (isMap(value)) raw.secretFiles.push({ path: at, file: String(value.file), isGood });
          }
        }
      }
      node.headers = taken;
    }
  }
  return faults;
}

function isGood(text: string): boolean {
  return VALUE.test(text);
}

function textOf(value: unknown, isOfEnvironment: boolean, fault: (message: string) => void): string | null {
  if (typeof value === "string" && isOfEnvironment) return value;
  if (!isMap(value) || typeof value.file !== "string" || Object.keys(value).length > 1) {
    fault("must name the file that holds its value: { file: /run/secrets/… }");
    return null;
  }
  try {
    return readFileSync(value.file, "utf8").trim();
  } catch (error) {
    fault(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
    return null;
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
