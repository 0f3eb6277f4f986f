// Mail goes to nobody who did not agree to it: what an address is asked, how it agrees, and what it gets before and after.
import { readFile } from "node:fs/promises";
import type pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ANNE,
  alertEvent,
  BEN,
  boundTo,
  CHANNELS,
  type ChannelGround,
  NICK,
  openChannelGround,
  testAlert,
  VAULT,
} from "../../../../test/channels.ts";
import { type MailReceiver, type ReceivedMail, startMailReceiver } from "../../../../test/smtp-receiver.ts";
import { createLogger } from "../../../platform/log.ts";

let ground: ChannelGround;
let server: MailReceiver;
const lines: string[] = [];

beforeAll(async () => {
  server = await startMailReceiver();
  const destination = { write: (line: string) => void lines.push(line) };
  ground = await openChannelGround({
    smtp: { url: server.url, from: "VaultOps <alerts@vaults.example>" },
    allowedDomains: ["Example.org"],
    log: createLogger({ level: "trace", destination: destination as pino.DestinationStream }),
  });
});
afterAll(async () => {
  await ground.close();
  await server.stop();
});
beforeEach(async () => {
  await ground.clear();
  await ground.database.db.pool.query("delete from deliveries");
  server.mails.length = 0;
  ground.clock.at(0);
});

const NAME = "BUY NOW at https://spam.example";
async function mailChannel(to: string, by = ANNE, name = NAME) {
  const { status, body } = await ground.ask("POST", CHANNELS, by, {
    body: { provider: "email", name, config: { to } },
  });
  expect(status).toBe(201);
  await ground.ask("POST", `${boundTo(VAULT)}/${body.id}`, by);
  return body as { id: string; unconfirmed_addresses: string[] };
}

/** The path of the link in a mail. */
function linkIn(mail: ReceivedMail | undefined): string {
  const text = (mail?.raw ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "=");
  const path = /https:\/\/vaults\.example(\/confirm-address\/[\w-]{43})/.exec(text)?.[1];
  if (path === undefined) throw new Error(`no link in ${mail?.raw}`);
  return path;
}

const open = (path: string) => ground.app.inject({ url: path });
/** As a browser sends the page's form. */
const press = (path: string) =>
  ground.app.inject({
    method: "POST",
    url: path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "",
  });
const shown = async (id: string, by = ANNE) => (await ground.ask("GET", `${CHANNELS}/${id}`, by)).body;

async function confirm(to: string, by = ANNE): Promise<void> {
  await mailChannel(to, by);
  await ground.send();
  expect((await press(linkIn(server.mails.at(-1)))).statusCode).toBe(200);
}

describe("an address that has not confirmed", () => {
  test("is asked by one mail that holds no word of a user's, and gets nothing else", async () => {
    const { id, unconfirmed_addresses: waiting } = await mailChannel(
      "Victim@elsewhere.example, ops@example.org",
    );
    expect(waiting).toEqual(["Victim@elsewhere.example"]);
    await ground.send();
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({ to: ["victim@elsewhere.example"] });
    expect(server.mails[0]?.raw).not.toMatch(/BUY NOW|spam/);

    await ground.emit(alertEvent("alert.firing", testAlert()));
    await ground.deliver();
    expect(server.mails.slice(1).map(({ to }) => to)).toEqual([["ops@example.org"]]);
    const { deliveries } = (await ground.ask("GET", `${CHANNELS}/${id}/deliveries`, ANNE)).body;
    expect(deliveries[0]).toMatchObject({
      status: "delivered",
      attempts: [{ response_excerpt: "not sent to 1 of 2, not confirmed yet" }],
    });
  });

  test("gets no test either, and an alert waits for its confirmation", async () => {
    const { id } = await mailChannel("late@elsewhere.example");
    await ground.send();
    const tested = await ground.ask("POST", `${CHANNELS}/${id}/test`, ANNE);
    expect(tested.body).toMatchObject({ status: "failed", error: "none of its addresses has confirmed yet" });
    await ground.emit(alertEvent("alert.firing", testAlert()));
    await ground.deliver();
    expect(server.mails).toHaveLength(1);
    await press(linkIn(server.mails[0]));
    expect((await shown(id)).unconfirmed_addresses).toEqual([]);
    ground.clock.at(600_000);
    await ground.send();
    expect(server.mails).toHaveLength(2);
  });

  test("is asked when a change of the channel brings it in, those that were in it before are not", async () => {
    const { id } = await mailChannel("first@elsewhere.example");
    await ground.send();
    const to = "first@elsewhere.example, second@elsewhere.example";
    await ground.ask("PATCH", `${CHANNELS}/${id}`, BEN, { body: { config: { to } } });
    await ground.send();
    expect(server.mails.map((mail) => mail.to)).toEqual([
      ["first@elsewhere.example"],
      ["second@elsewhere.example"],
    ]);
  });
});

describe("a mail with the link that the mail server does not take", () => {
  test("is told in the channel's record: what is tried again as failed, what is refused for good as dead, until one goes out", async () => {
    server.fail({ at: "RCPT", answer: "451 later" });
    const { id } = await mailChannel("Refused@elsewhere.example, ops@example.org");
    expect((await shown(id)).failed_confirmations).toEqual([]);
    await ground.send();
    const failure = { address: "Refused@elsewhere.example", at: expect.stringMatching(/Z$/) };
    expect((await shown(id)).failed_confirmations).toEqual([
      { ...failure, status: "failed", error: "the mail server answered 451" },
    ]);

    server.fail({ at: "RCPT", answer: "550 no such user" });
    ground.clock.at(10_000);
    await ground.send();
    const dead = [{ ...failure, status: "dead", error: "the mail server answered 550" }];
    expect((await shown(id)).failed_confirmations).toEqual(dead);
    expect((await shown(id, BEN)).failed_confirmations).toEqual(dead);
    const bound = (await ground.ask("GET", boundTo(VAULT), ANNE)).body;
    expect(bound[0].failed_confirmations).toEqual(dead);
    expect(server.mails).toEqual([]);

    await ground.ask("POST", `${CHANNELS}/${id}/confirmations`, ANNE);
    await ground.send();
    expect(server.mails.map(({ to }) => to)).toEqual([["refused@elsewhere.example"]]);
    expect((await shown(id)).failed_confirmations).toEqual([]);
  });
});

describe("the link", () => {
  test("shows a page with a button, which alone confirms: to open it, however often, writes nothing", async () => {
    const { id } = await mailChannel("reader@elsewhere.example");
    await ground.send();
    const path = linkIn(server.mails[0]);
    for (const method of ["GET", "HEAD", "GET"] as const) {
      const { statusCode, headers } = await ground.app.inject({ method, url: path });
      expect(statusCode).toBe(200);
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
      expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    }
    const { body } = await open(path);
    expect(body).toContain('<form method="post"><button type="submit">');
    expect(body).not.toMatch(/<script|BUY NOW/);
    expect((await shown(id)).unconfirmed_addresses).toEqual(["reader@elsewhere.example"]);
    expect((await press(path)).statusCode).toBe(200);
    expect((await shown(id)).unconfirmed_addresses).toEqual([]);
  });

  test("is good once, for three days, and not under another token", async () => {
    await mailChannel("once@elsewhere.example");
    await ground.send();
    const path = linkIn(server.mails[0]);
    expect((await press(`${path.slice(0, -2)}xx`)).statusCode).toBe(404);
    const { pool } = ground.database.db;
    await pool.query("update mail_addresses set token_expires_at = clock_timestamp() - interval '1 ms'");
    expect([(await open(path)).statusCode, (await press(path)).statusCode]).toEqual([404, 404]);
    await pool.query("update mail_addresses set token_expires_at = clock_timestamp() + interval '1 minute'");
    const both = await Promise.all([press(path), press(path)]);
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404]);
    expect((await open(path)).statusCode).toBe(404);
  });

  test("stands in no row, log line or answer of the API", async () => {
    const { id } = await mailChannel("quiet@elsewhere.example");
    await ground.send();
    const path = linkIn(server.mails[0]);
    const token = path.split("/").at(-1) as string;
    const { rows } = await ground.database.owner.pool.query(
      "select m::text as text from mail_addresses m union all select d::text from deliveries d union all select a::text from delivery_attempts a",
    );
    await press(path);
    const said = [JSON.stringify(rows), lines.join(), JSON.stringify(await shown(id))];
    for (const text of said) expect(text).not.toContain(token);
  });

  test("gives way to that of a newer mail, which who may change the channel asks for", async () => {
    const { id } = await mailChannel("again@elsewhere.example");
    await ground.send();
    const ask = (by: typeof ANNE) => ground.ask("POST", `${CHANNELS}/${id}/confirmations`, by);
    expect((await ask(NICK)).status).toBe(404);
    expect(await ask(BEN)).toMatchObject({ status: 202, body: { asked: ["again@elsewhere.example"] } });
    await ground.send();
    const [older, newer] = server.mails.map(linkIn) as [string, string];
    expect((await press(older)).statusCode).toBe(404);
    expect((await press(newer)).statusCode).toBe(200);
    expect((await ask(ANNE)).body.code).toBe("conflict");
  });
});

test("what an address agreed to is mail of one wallet's channels: another's asks anew", async () => {
  await confirm("shared@elsewhere.example");
  const again = await mailChannel("SHARED@elsewhere.example");
  expect(again.unconfirmed_addresses).toEqual([]);
  const other = await mailChannel("shared@elsewhere.example", BEN);
  expect(other.unconfirmed_addresses).toEqual(["shared@elsewhere.example"]);
});

test("addresses in channels of before the upgrade count as confirmed, whatever their case", async () => {
  const { pool } = ground.database.owner;
  const { id } = await mailChannel("old@elsewhere.example ,Older@elsewhere.example");
  await pool.query("drop table mail_addresses, stored_quotas");
  await pool.query(
    await readFile(new URL("../../../../migrations/000022_confirmed_mail.sql", import.meta.url), "utf8"),
  );
  await pool.query(`grant select, insert, update, delete on mail_addresses, stored_quotas to public`);
  expect((await shown(id)).unconfirmed_addresses).toEqual([]);
});
