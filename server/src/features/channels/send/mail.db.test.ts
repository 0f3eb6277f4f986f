// Mail channels against a mail server that is strict, fails, drips or hangs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ANNE,
  alertEvent,
  boundTo,
  CHANNELS,
  type ChannelGround,
  openChannelGround,
  testAlert,
  VAULT,
} from "../../../../test/channels.ts";
import { type MailReceiver, startMailReceiver } from "../../../../test/smtp-receiver.ts";

let ground: ChannelGround;
let server: MailReceiver;
let id: string;

beforeAll(async () => {
  server = await startMailReceiver();
  ground = await openChannelGround({ smtp: { url: server.url, from: "VaultOps <alerts@vaults.example>" } });
});
afterAll(async () => {
  await ground.close();
  await server.stop();
});
beforeEach(async () => {
  const { pool } = ground.database.db;
  for (const table of ["channel_alerts", "notification_channels", "deliveries", "delivery_targets", "events"])
    await pool.query(`delete from ${table}`);
  server.mails.length = 0;
  ground.clock.at(0);
  const body = { provider: "email", name: "Duty", config: { to: "ops@example.org, duty@example.org" } };
  id = (await ground.ask("POST", CHANNELS, ANNE, { body })).body.id;
  await ground.ask("POST", `${boundTo(VAULT)}/${id}`, ANNE);
});

const fire = (...alerts: ReturnType<typeof testAlert>[]) =>
  ground.emit(...alerts.map((alert) => alertEvent("alert.firing", alert)));
const lastDelivery = async () =>
  (await ground.ask("GET", `${CHANNELS}/${id}/deliveries`, ANNE)).body.deliveries[0];

test("an alert is one mail to every address, and counts as sent when the server has taken it", async () => {
  await fire(testAlert({ vault_name: "USDC Prime" }));
  await ground.deliver();
  expect(server.mails).toHaveLength(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: "alerts@vaults.example", to: ["ops@example.org", "duty@example.org"] });
  expect(mail?.headers).toMatchObject({
    from: "VaultOps <alerts@vaults.example>",
    "message-id": expect.stringMatching(/^<[0-9a-f-]{36}@vaults\.example>$/),
    "content-type": expect.stringContaining("multipart/alternative"),
  });
  expect((await lastDelivery()).status).toBe("delivered");
});

test("200 alerts are one mail", async () => {
  await fire(...Array.from({ length: 200 }, (_, index) => testAlert({ vault_name: `Vault ${index}` })));
  await ground.deliver();
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.headers.subject).toContain("200 alerts");
});

test("no name makes a header, a recipient or a command of its own", async () => {
  const hostile = "x\r\nBcc: victim@example.org\r\nX-Evil: 1\r\n\r\n.\r\nRCPT TO:<victim@example.org>\r\n";
  await fire(testAlert({ vault_name: hostile, title: hostile, message: hostile, next_step: hostile }));
  await ground.deliver();
  const [mail] = server.mails;
  expect(server.mails).toHaveLength(1);
  expect(Object.keys(mail?.headers ?? {}).sort()).toEqual(
    ["content-type", "date", "from", "message-id", "mime-version", "subject", "to"].sort(),
  );
  expect(mail?.to).toEqual(["ops@example.org", "duty@example.org"]);
});

describe("a mail server", () => {
  test.each([
    ["refuses an address for good", { at: "RCPT", answer: "550 no such user" }, "dead", "answered 550"],
    ["refuses the message for good", { at: "END", answer: "554 spam" }, "dead", "answered 554"],
    ["refuses an address for now", { at: "RCPT", answer: "451 later" }, "failed", "answered 451"],
    ["takes the data and then not the message", { at: "END", answer: "452 full" }, "failed", "answered 452"],
    ["resets the connection", "reset", "failed", "could not be used"],
  ] as const)("that %s: %o is %s", async (_, fault, status, error) => {
    server.fail(fault);
    await fire(testAlert());
    await ground.deliver();
    expect(server.mails).toEqual([]);
    const delivery = await lastDelivery();
    expect(delivery.status).toBe(status);
    expect(delivery.attempts[0].error).toContain(error);
    if (status === "dead") return;
    ground.clock.at(1000);
    await ground.send();
    expect(server.mails).toHaveLength(1);
  });

  test("that drips or hangs is cut off in time, and the mail goes out later", async () => {
    server.fail("drip", "hang");
    const trial = () => ground.ask("POST", `${CHANNELS}/${id}/test`, ANNE);
    for (const { body } of await Promise.all([trial(), trial()])) {
      expect(body).toMatchObject({
        status: "failed",
        error: expect.stringContaining("did not take the message within"),
      });
    }
    expect((await trial()).body.status).toBe("delivered");
  }, 300_000);
});

test("without a mail server a test says so", async () => {
  const bare = await openChannelGround();
  try {
    const body = { provider: "email", name: "Duty", config: { to: "ops@example.org" } };
    const made = await bare.ask("POST", CHANNELS, ANNE, { body });
    expect(made.status).toBe(201);
    const tested = await bare.ask("POST", `${CHANNELS}/${made.body.id}/test`, ANNE);
    expect(tested.body).toMatchObject({ status: "failed", error: expect.stringContaining("smtp.url") });
  } finally {
    await bare.close();
  }
});

test("the server's password is sent only over an encrypted connection, and stands in no error", async () => {
  const { port } = new URL(server.url);
  const smtp = { url: `smtp://user:planted-password@127.0.0.1:${port}`, from: "a@vaults.example" };
  const other = await openChannelGround({ smtp });
  try {
    const body = { provider: "email", name: "Duty", config: { to: "ops@example.org" } };
    const made = await other.ask("POST", CHANNELS, ANNE, { body });
    server.lines.length = 0;
    const tested = await other.ask("POST", `${CHANNELS}/${made.body.id}/test`, ANNE);
    expect(tested.body.status).toBe("failed");
    expect(JSON.stringify(tested.body)).not.toContain("planted");
    expect(server.lines.filter((line) => line.startsWith("AUTH"))).toEqual([]);
  } finally {
    await other.close();
  }
});
