// What proves a request of Slack's or Telegram's, with the example that Slack publishes, and how hostile ones are read.
import { expect, test } from "vitest";
import { slackChat } from "./slack.ts";
import { telegramChat } from "./telegram.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const BODY =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const TIME = 1_531_420_618;
const SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
const headers = { "x-slack-request-timestamp": String(TIME), "x-slack-signature": SIGNATURE };
const prove = (changes: object = {}, body = BODY, nowMs = TIME * 1000) =>
  slackChat.prove(SECRET, { ...headers, ...changes }, Buffer.from(body), nowMs);

test("Slack's own example is proved, over its very bytes", () => {
  expect(prove()).toBe(SIGNATURE);
  expect(prove({}, `${BODY}&`)).toBeNull();
  expect(prove({}, BODY.replace("%2F", "/"))).toBeNull();
  expect(slackChat.prove(`${SECRET.slice(1)}0`, headers, Buffer.from(BODY), TIME * 1000)).toBeNull();
});

test("Slack: five minutes, to the second, in either direction", () => {
  expect(prove({}, BODY, (TIME + 300) * 1000)).toBe(SIGNATURE);
  expect(prove({}, BODY, (TIME + 300) * 1000 + 1)).toBeNull();
  expect(prove({}, BODY, (TIME - 300) * 1000)).toBe(SIGNATURE);
  expect(prove({}, BODY, (TIME - 300) * 1000 - 1)).toBeNull();
});

test.each([
  ["no time", { "x-slack-request-timestamp": undefined }],
  ["no signature", { "x-slack-signature": undefined }],
  ["two of them", { "x-slack-signature": [SIGNATURE, SIGNATURE] }],
  ["another time", { "x-slack-request-timestamp": String(TIME + 1) }],
  ["a time that is no number", { "x-slack-request-timestamp": `${TIME}.0` }],
  ["an empty time", { "x-slack-request-timestamp": "" }],
  ["another version", { "x-slack-signature": SIGNATURE.replace("v0", "v1") }],
  ["a part of the signature", { "x-slack-signature": SIGNATURE.slice(0, -1) }],
  ["more than the signature", { "x-slack-signature": `${SIGNATURE}0` }],
  ["letters of two bytes", { "x-slack-signature": `v0=${"é".repeat(64)}` }],
])("Slack: refused with %s", (_, changes) => {
  expect(prove(changes)).toBeNull();
});

const payloadOf = (changes: object) =>
  Buffer.from(
    new URLSearchParams({
      payload: JSON.stringify({
        type: "block_actions",
        user: { id: "U1", username: "anne", team_id: "T1" },
        team: { id: "T1" },
        channel: { id: "C1" },
        actions: [{ value: "v" }],
        response_url: "https://hooks.slack.com/actions/T1/1/x",
        ...changes,
      }),
    }).toString(),
  );

test("Slack: a press is read; what is none, and somebody of another workspace, is nobody's", () => {
  expect(slackChat.read(payloadOf({}))).toMatchObject({ value: "v", userId: "U1", place: "T1/C1" });
  for (const changes of [
    { type: "view_submission" },
    { actions: [] },
    { actions: null },
    { user: null },
    { team: null },
    { channel: 1 },
    { user: { id: "U1", team_id: "T2" } },
    { actions: [{ value: 1 }] },
  ])
    expect(slackChat.read(payloadOf(changes))).toBeNull();
  for (const text of ["", "payload=", "payload=%7B", "payload=null", "payload=[]", "ssl_check=1"])
    expect(slackChat.read(Buffer.from(text))).toBeNull();
});

test.each([
  "http://hooks.slack.com/actions/x",
  "https://hooks.slack.com:8443/x",
  "https://hooks.slack.com.evil.example/x",
  "https://hooks.slack.com@evil.example/x",
  "https://user:password@hooks.slack.com/x",
  "https://evil.example/hooks.slack.com",
  "//hooks.slack.com/x",
  "",
])("Slack: nothing is posted to %s", (replyTo) => {
  const press = { value: "v", userId: "U1", userName: "anne", place: "T1/C1", replyTo };
  expect(slackChat.answer(press, { text: "t", isForAll: false })).toEqual({});
});

test("Telegram: the token of the webhook proves it, and the update's number names it", () => {
  const raw = Buffer.from('{"update_id": 7}');
  const token = (given: unknown) =>
    telegramChat.prove("s3cret", { "x-telegram-bot-api-secret-token": given as string }, raw, 0);
  expect(token("s3cret")).toBe("7");
  for (const wrong of [undefined, "", "s3cre", "s3cret1", ["s3cret", "s3cret"], "S3CRET"])
    expect(token(wrong)).toBeNull();
});

const updateOf = (changes: object, update: object = { update_id: 7 }) =>
  Buffer.from(
    JSON.stringify({
      ...update,
      callback_query: {
        id: "1",
        from: { id: 42, is_bot: false, first_name: "Anne" },
        message: { chat: { id: -100123 } },
        data: "v",
        ...changes,
      },
    }),
  );

test("Telegram: a press is read; what is none is nobody's", () => {
  expect(telegramChat.read(updateOf({}))).toMatchObject({ value: "v", userId: "42", place: "-100123" });
  for (const changes of [
    { from: undefined },
    { from: { id: "42" } },
    { from: { id: 42, is_bot: true } },
    { data: undefined },
    { message: undefined },
    { message: { chat: { id: "-100123" } } },
    { id: 1 },
  ])
    expect(telegramChat.read(updateOf(changes))).toBeNull();
  expect(telegramChat.read(updateOf({}, { update_id: "7" }))).toBeNull();
  for (const text of ["", "null", "[]", "{", '{"update_id":1,"message":{}}'])
    expect(telegramChat.read(Buffer.from(text))).toBeNull();
});
