// Access tokens for a mail server without basic authentication (OAuth 2.0, RFC 6749): by a refresh token, or by the client's own
// credentials. A token is kept until shortly before it runs out; nothing of an answer but the error's code is ever said.
import { type Egress, EgressError } from "../../../platform/egress/egress.ts";

export interface TokenSettings {
  token_url: string;
  client_id: string;
  client_secret: string | null;
  /** Null: the client's credentials are what is granted on. */
  refresh_token: string | null;
  scope: string | null;
}

export interface TokenSource {
  /** A token that is good now. Rejects with TokenError. */
  get(): Promise<string>;
  /** The server did not take it: the next one is a new one. */
  drop(token: string): void;
}

/** Its message may be shown to users. */
export class TokenError extends Error {}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;
/** So long before its end a token is no longer used. */
const MARGIN_MS = 60_000;
/** Of a token whose answer does not say. */
const DEFAULT_SECONDS = 300;

/** The settings are read for each token, since the files of the secrets may change. */
export function createTokenSource(egress: Pick<Egress, "request">, settings: TokenSettings): TokenSource {
  let given = settings.refresh_token;
  let refreshToken = given;
  let kept: { token: string; untilMs: number } | null = null;
  let asking: Promise<string> | null = null;

  async function ask(): Promise<string> {
    const { client_id, client_secret, scope, refresh_token: current } = settings;
    // One that the provider gave last counts, until the operator gives another.
    if (current !== given) {
      given = current;
      refreshToken = current;
    }
    const form = new URLSearchParams({
      grant_type: refreshToken === null ? "client_credentials" : "refresh_token",
      client_id,
      ...(client_secret === null ? {} : { client_secret }),
      ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
      ...(scope === null ? {} : { scope }),
    });
    const answer = await answerTo(egress, settings.token_url, form.toString());
    const { access_token: token, expires_in: seconds, refresh_token: next } = answer;
    if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token))
      throw new TokenError("no access token for the mail server: the answer contains none");
    // Some providers give a new one with each use, and take the old one no more.
    if (refreshToken !== null && typeof next === "string" && next !== "") refreshToken = next;
    const lifeMs = (typeof seconds === "number" && seconds > 0 ? seconds : DEFAULT_SECONDS) * 1000;
    kept = { token, untilMs: performance.now() + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) };
    return token;
  }

  return {
    async get() {
      if (kept !== null && performance.now() < kept.untilMs) return kept.token;
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    drop(token) {
      if (kept?.token === token) kept = null;
    },
  };
}

async function answerTo(
  egress: Pick<Egress, "request">,
  url: string,
  body: string,
): Promise<Record<string, unknown>> {
  try {
    const { status, body: answer } = await egress.request({
      url,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      trusted: true,
    });
    const members = membersOf(answer.toString("utf8"));
    if (status === 200) return members;
    const code =
      typeof members.error === "string" && /^[a-z_]{1,40}$/.test(members.error) ? members.error : "";
    throw new TokenError(
      `no access token for the mail server: answered ${status}${code === "" ? "" : ` ${code}`}`,
    );
  } catch (error) {
    if (error instanceof EgressError)
      throw new TokenError(`no access token for the mail server: ${error.message}`);
    throw error;
  }
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
