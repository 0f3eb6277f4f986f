// The one catalogue of what can go wrong for a client, and the error that carries an entry of it.
// Guarantee: every problem document that leaves the service has a code of this table and the status written here, and the
// documentation page (docs/errors.md) is generated from it; a test holds the two equal.
//
// A code is part of the API: it may be added, never renamed. Its status never changes.

export interface ErrorDefinition {
  status: number;
  title: string;
  /** What happened and what the client can do about it, for the documentation page. */
  description: string;
}

export const ERRORS = {
  // requests
  invalid_request: {
    status: 400,
    title: "Invalid request",
    description:
      "A parameter or the body does not have the documented form: an unknown or repeated query parameter, a value out of range, a missing field. `errors` names each place. Correct the request; repeating it gives the same answer.",
  },
  invalid_json: {
    status: 400,
    title: "Invalid JSON",
    description:
      "The body is not JSON in UTF-8, repeats a key within an object, is nested too deeply, or contains text that cannot be stored (a NUL character or half of a surrogate pair).",
  },
  invalid_address: {
    status: 400,
    title: "Invalid address",
    description:
      "An address is not `0x` and 40 hexadecimal digits, or is written in mixed case with a wrong EIP-55 checksum, which points to a typing error. All-lower-case and all-upper-case digits are accepted.",
  },
  invalid_vault_id: {
    status: 400,
    title: "Invalid vault id",
    description: "A vault id is not `{chain_id}:{vault_address}`, for example `8453:0x…`.",
  },
  invalid_timestamp: {
    status: 400,
    title: "Invalid timestamp",
    description:
      "A time is not in an accepted form (ISO 8601 as `2026-05-09`, `2026-05-09T10:00:00Z` or `20260509T100000Z`, with an offset or none, up to nine fractional digits; no weeks, no days of the year), is outside the years 1 to 9999, or the start of a period is later than its end.",
  },
  secret_required: {
    status: 400,
    title: "Secret required",
    description:
      "The change would send a channel's secrets somewhere else (`base_url`, region, chat), and they were not sent with it. Send the secrets that `errors` names in full in the same request: only who knows them may redirect them.",
  },
  invalid_token: {
    status: 401,
    title: "Authentication required",
    description:
      "The request carries no valid JWT in `Authorization: Bearer …`. Sign in again; `detail` says what is wrong with the token.",
  },
  invalid_signature: {
    status: 401,
    title: "Invalid signature",
    description:
      "A request to an endpoint for Slack or Telegram does not prove that the provider sent it: another secret, other bytes than were signed, or too old. Nothing of it was read. Clients do not call these endpoints.",
  },
  sign_in_refused: {
    status: 401,
    title: "Sign-in refused",
    description:
      "The challenge is unknown, used up or expired, or the signature is not the wallet's signature of it. Ask for a new challenge and sign that one.",
  },
  insufficient_role: {
    status: 403,
    title: "Insufficient role",
    description: "The wallet is known, but has no role on that vault that allows this.",
  },
  insufficient_scope: {
    status: 403,
    title: "Insufficient scope",
    description:
      "The token was issued for reading only (`scope: read`). Use a token of full scope to change something.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    description: "There is no such path, or no such object that the caller may see.",
  },
  chain_not_found: {
    status: 404,
    title: "Chain not found",
    description: "The chain is not one that this service follows. `GET /api/v1/chains` lists them.",
  },
  vault_not_found: {
    status: 404,
    title: "Vault not found",
    description: "No vault with that address is known on that chain. `GET /api/v1/public/vaults` lists them.",
  },
  no_quorum: {
    status: 404,
    title: "No quorum",
    description:
      "No checkpoint of the audit log has been cosigned by as many witnesses as `audit.witness_quorum` asks for, or none is configured. Without `quorum=true` the newest checkpoint is served.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    description:
      "The path exists, but not with that method. The `Allow` header lists the methods that it has.",
  },
  not_acceptable: {
    status: 406,
    title: "Not acceptable",
    description: "None of the media types in `Accept` can be served here. `detail` lists those that can.",
  },
  request_timeout: {
    status: 408,
    title: "Request timed out",
    description: "The request did not arrive completely in time. Send it again over a new connection.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    description:
      "The request conflicts with the current state of the object. Read the object again before deciding.",
  },
  action_not_possible: {
    status: 409,
    title: "Action not possible",
    description:
      "As the vault stands on the chain now, the action cannot be done with these parameters: a role, a cap, a timelock, a pause or a value of now stands against it. `detail` says which, `preconditions` lists all that was looked at. Nothing was prepared.",
  },
  from_required: {
    status: 400,
    title: "Say who sends it",
    description:
      "Neither the caller nor exactly one Safe for which the caller signs holds a role that may do the action. `candidates` lists the accounts that do: name one of them as `from`.",
  },
  channel_limit: {
    status: 409,
    title: "Too many channels",
    description: "The wallet has created 50 notification channels, which is the maximum. Delete one first.",
  },
  archived: {
    status: 410,
    title: "Archived",
    description:
      "The entry's text was archived by the operator and is no longer in the database; proofs of it are still given. Ask the operator, who can verify and restore the archive.",
  },
  not_witnessed_yet: {
    status: 409,
    title: "Not witnessed yet",
    description:
      "No checkpoint that covers the entry has been cosigned by a quorum of witnesses yet. Checkpoints are signed and offered every minute: ask again later.",
  },
  idempotency_conflict: {
    status: 409,
    title: "Idempotency key used before",
    description:
      "The `Idempotency-Key` was used within 24 hours for a request with another body to the same path. Use a new key for a new request.",
  },
  body_too_large: {
    status: 413,
    title: "Body too large",
    description:
      "The body is larger than the endpoint accepts: 32 KiB unless the description of the API says otherwise (`x-max-body-bytes`), 1 MiB for reports of engines. `detail` names the limit. Split it.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    description: "Bodies are `application/json` in UTF-8, except where an endpoint documents another type.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    description:
      "The quota named in `RateLimit-Policy` is used up, or the wallet is running the maximum number of exports at once. Changes that are written to the audit log have a quota of their own (`recorded`). Wait for the seconds in `Retry-After`; `RateLimit` shows on every answer what is left.",
  },
  headers_too_large: {
    status: 431,
    title: "Request headers too large",
    description: "The request line and headers together exceed 64 KiB.",
  },
  // engine reports
  batch_too_large: {
    status: 413,
    title: "Batch too large",
    description: "A batch of events holds more than 1000 of them. Split it.",
  },
  invalid_event: {
    status: 400,
    title: "Invalid event",
    description:
      "In the result of one event: it is not a CloudEvent 1.0, its type is not known, its `data` is not what the type's schema says, or its `time` lies in the future. `errors` names each place. Sending it again as it is gives the same result.",
  },
  not_permitted: {
    status: 403,
    title: "Not permitted",
    description:
      "In the result of one event: the ingest token is bound to another `source`, or to other chains or vaults.",
  },
  intent_conflict: {
    status: 409,
    title: "Intent of another vault",
    description:
      "In the result of one event: the intent was reported for another vault before. Intent ids are unique among all vaults.",
  },
  intent_terminal: {
    status: 409,
    title: "Intent has ended",
    description:
      "In the result of one event: it would end an intent that has ended already. The terminal event that was stored first stands.",
  },
  execution_conflict: {
    status: 409,
    title: "Transaction of another execution",
    description:
      "In the result of one event: its transaction already belongs to another execution of the vault, or the execution already has a transaction onchain, which another cannot replace.",
  },
  shard_not_found: {
    status: 404,
    title: "Shard not found",
    description: "No shard has reported for that vault, which is normal for a vault that no shard runs.",
  },
  // the service
  internal_error: {
    status: 500,
    title: "Internal error",
    description:
      "The service failed, and has logged the error under the answer's `request_id`. Quote that id when you report it. Reads may be repeated.",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable",
    description:
      "Something that the answer needs, such as the database, cannot be reached right now, or the service is shutting down. Repeat after `Retry-After` seconds.",
  },
  not_ready: {
    status: 503,
    title: "Not ready",
    description:
      "Answered by `/readyz` alone: a part that the service needs is failing. `detail` names it, `checks` lists all.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault in a request. `path` is the parameter's name, or the JSON pointer of the place in the body. */
export interface FieldError {
  path: string;
  message: string;
}

export interface ProblemExtra {
  errors?: FieldError[];
  /** Sent as the `Retry-After` header, in whole seconds. */
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
  /** Further members of the problem document. Nothing secret: all of it is sent. */
  [member: string]: unknown;
}

/**
 * A failure that the client is told about (RFC 9457). Throw it anywhere in a request; the error handler renders it.
 * `detail` is written for the reader of the answer: what is wrong and what to do. It must hold nothing secret.
 */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly extra: ProblemExtra;

  constructor(code: ErrorCode, detail: string, extra: ProblemExtra = {}) {
    super(detail);
    this.name = "Problem";
    this.code = code;
    this.status = ERRORS[code].status;
    this.extra = extra;
  }
}

/** The documentation page of errors (docs/errors.md), in the order of the catalogue. */
export function renderErrorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title, description }]) => `### \`${code}\`\n\n**${status}** ${title}. ${description}\n`,
  );
  return `${PAGE_HEAD}\n${rows.join("\n")}`;
}

const PAGE_HEAD = `<!-- Generated from server/src/platform/errors.ts by \`npm run gen\`. Do not edit. -->

# Errors

Every answer with a status of 400 or above is a problem document (RFC 9457, \`application/problem+json\`):

\`\`\`json
{
  "type": "https://…/docs/errors#invalid_request",
  "title": "Invalid request",
  "status": 400,
  "detail": "limit must be at most 1000",
  "code": "invalid_request",
  "request_id": "0b6e1c1e-6a52-4c1c-9b0f-5d1f5b0c7a11",
  "errors": [{ "path": "limit", "message": "must be at most 1000" }]
}
\`\`\`

Decide by \`code\`; \`title\` and \`detail\` are for people and may change. \`errors\` is there for faults of validation. Quote
\`request_id\` (also the \`X-Request-Id\` header) when you report a problem.

## Codes
`;
