// Witnesses for tests: real ones over HTTP, and ones that answer as the test says.
import { mkdtemp } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { readVerifier, readWitness } from "@vaultops/proof";
import { createCosigner } from "../src/audit/cosigner/cosigner.ts";
import { serveCosigner } from "../src/audit/cosigner/server.ts";
import { readSigner, WITNESS_KEY, writeSigner } from "../src/audit/tree/signer.ts";
import type { WitnessPlace } from "../src/audit/witnesses/settings.ts";
import { silentLogger } from "../src/platform/log.ts";
import { startReceiver } from "./receiver.ts";

export interface TestWitness extends WitnessPlace {
  /** The keys of the logs that it cosigns for. */
  knows: Set<string>;
  folder: string;
  /** Of its clock, against the true time. */
  aheadSeconds: number;
  close(): Promise<void>;
}

const signerOf = (name: string, seed: number) =>
  readSigner(writeSigner(name, Buffer.alloc(32, 100 + seed), WITNESS_KEY), WITNESS_KEY);

/** A witness of ours, on any free port. `base` is a folder of the test's. */
export async function startWitness(base: string, number: number): Promise<TestWitness> {
  const folder = await mkdtemp(`${base}/witness-`);
  const name = `w${number}`;
  const signer = signerOf(`${name}.test/witness`, number);
  const knows = new Set<string>();
  const logs = async () => [...knows].map(readVerifier);
  const log = silentLogger();
  const nowMs = () => Date.now() + witness.aheadSeconds * 1000;
  const cosigner = createCosigner({ folder, signer, logs, log, nowMs });
  const server = await serveCosigner(cosigner, { host: "127.0.0.1", port: 0 }, log);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const witness: TestWitness = {
    name,
    witness: readWitness(signer.vkey),
    url,
    monitoringUrl: url,
    knows,
    folder,
    aheadSeconds: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return witness;
}

export type Answer = { status: number; body?: string; type?: string };

/** A witness that answers each submission, and each question for what it holds, as `answers` says. */
export async function startLiar(number: number) {
  const receiver = await startReceiver();
  const url = receiver.url.replace(/\/hook$/, "");
  const signer = signerOf(`w${number}.test/witness`, number);
  const liar = {
    name: `w${number}`,
    witness: readWitness(signer.vkey),
    signer,
    url,
    monitoringUrl: url,
    received: receiver.received,
    /** Null: it never answers. */
    submitted: (_body: string): Answer | null => ({ status: 500 }),
    holds: (): Answer => ({ status: 404 }),
    close: () => receiver.close(),
  };
  receiver.answer = (response, { path, body }) => {
    const answer = path === "/add-checkpoint" ? liar.submitted(body.toString("utf8")) : liar.holds();
    if (answer === null) return;
    const { status, body: text = "", type = "text/plain" } = answer;
    response.writeHead(status, { "content-type": type }).end(text);
  };
  return liar;
}
