// A secret of every kind is planted, and everything that the service says or keeps is searched for it.
import type pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ANNE,
  type Answer,
  alertEvent,
  BEN,
  boundTo,
  CHANNELS,
  type ChannelGround,
  openChannelGround,
  testAlert,
  VAULT,
} from "../../../../test/channels.ts";
import { type HttpProviderName, RECEIVER_SECRET } from "../../../../test/provider-receiver.ts";
import { type MailReceiver, startMailReceiver } from "../../../../test/smtp-receiver.ts";
import { createLogger } from "../../../platform/log.ts";

const PROVIDERS: HttpProviderName[] = [
  "slack",
  "discord",
  "telegram",
  "pagerduty",
  "opsgenie",
  "teams",
  "webhook",
];

let ground: ChannelGround;
let mail: MailReceiver;
const lines: string[] = [];
const answers: Answer[] = [];

beforeAll(async () => {
  mail = await startMailReceiver();
  const destination = { write: (line: string) => void lines.push(line) };
  ground = await openChannelGround({
    log: createLogger({ level: "trace", destination: destination as pino.DestinationStream }),
    smtp: { url: mail.url.replace("//", "//user:planted-smtp-password@"), from: "a@vaults.example" },
  });
});
afterAll(async () => {
  await ground.close();
  await mail.stop();
});

async function ask(...asked: Parameters<ChannelGround["ask"]>): Promise<Answer> {
  const answer = await ground.ask(...asked);
  answers.push(answer);
  return answer;
}

/** Every row of every table, as text. */
async function everythingStored(): Promise<string> {
  const { pool } = ground.database.owner;
  const { rows: tables } = await pool.query(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query(`select t::text as text from ${name} t`);
    parts.push(...rows.map(({ text }) => `${name} ${text}`));
  }
  return parts.join("\n");
}

test("a secret of a channel is found in no log line, error, answer, audit entry, metric or row", async () => {
  const ids: string[] = [];
  for (const provider of PROVIDERS) {
    const headers = { "idempotency-key": `make ${provider}`.replace(" ", "-") };
    const body = { provider, name: provider, config: ground.receiver.configOf(provider) };
    const made = await ask("POST", CHANNELS, ANNE, { body, headers });
    expect(made.status).toBe(201);
    await ask("POST", CHANNELS, ANNE, { body, headers });
    await ask("POST", `${boundTo(VAULT)}/${made.body.id}`, ANNE);
    ids.push(made.body.id);
  }
  const email = await ask("POST", CHANNELS, ANNE, {
    body: { provider: "email", name: "mail", config: { to: "a@b.example" } },
  });
  await ask("POST", `${boundTo(VAULT)}/${email.body.id}`, ANNE);

  // A receiver that sends everything back that it was sent, in the answer and as a refusal.
  for (const provider of PROVIDERS) {
    const { config } = { config: ground.receiver.configOf(provider) };
    const echo = `you sent ${JSON.stringify(config)} to ${Object.values(config).join(" and ")}`;
    ground.receiver.fail(provider, { status: 500, body: echo }, { status: 400, body: echo }, "reset");
  }
  for (const id of ids) {
    for (let count = 0; count < 4; count += 1) await ask("POST", `${CHANNELS}/${id}/test`, ANNE);
    await ground.database.db.pool.query("delete from stored_quotas");
  }
  await ask("POST", `${CHANNELS}/${email.body.id}/test`, ANNE);
  const alert = testAlert();
  await ground.emit(alertEvent("alert.firing", alert));
  await ground.deliver();
  await ground.emit(alertEvent("alert.resolved", alert));
  ground.clock.at(60_000);
  await ground.deliver();

  for (const [index, provider] of PROVIDERS.entries()) {
    const id = ids[index];
    const config = ground.receiver.configOf(provider, "other");
    await ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: { name: "new", config } });
    await ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: { config: { ...config, unknown: "x" } } });
    await ask("PATCH", `${CHANNELS}/${id}`, BEN, { body: { config } });
    await ask("POST", CHANNELS, ANNE, {
      body: { provider, name: "x", config: { ...config, region: "planted-region" } },
    });
    for (const path of ["", "/deliveries"]) await ask("GET", `${CHANNELS}/${id}${path}`, BEN);
  }
  await ask("GET", CHANNELS, ANNE);
  await ask("GET", boundTo(VAULT), BEN);
  ground.receiver.fail("slack", { status: 404, body: "planted-hook-key-slack" });
  await ground.emit(alertEvent("alert.firing", testAlert()));
  ground.clock.at(120_000);
  await ground.deliver();
  for (const id of ids) await ask("DELETE", `${CHANNELS}/${id}`, ANNE);

  // What was planted did arrive where it belongs.
  expect(ground.receiver.taken().length).toBeGreaterThanOrEqual(PROVIDERS.length * 3);
  const said = [
    lines.join("\n"),
    JSON.stringify(answers),
    await ground.metrics.metrics(),
    await everythingStored(),
  ];
  for (const [index, text] of said.entries()) {
    expect(text.length).toBeGreaterThan(100);
    for (const secret of ["planted", RECEIVER_SECRET, RECEIVER_SECRET.slice(10, 40)]) {
      const at = text.indexOf(secret);
      expect(
        at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 100),
        `in ${["the log", "an answer", "a metric", "a row"][index]}`,
      ).toBe("");
    }
  }
});
