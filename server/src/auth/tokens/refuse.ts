// What a caller without a valid token is told: 401 with the challenge of RFC 6750. One place, so that every refusal has the header.
import { Problem } from "../../platform/errors.ts";

/**
 * The refusal of a token that was sent. `detail` says what is wrong and what to do; it is sent to the caller, so it may quote
 * the token's own public claims but nothing that the service keeps to itself.
 */
export function tokenRefused(detail: string): Problem {
  return new Problem("invalid_token", detail, {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  });
}

/**
 * The refusal of a request without a token. RFC 6750 section 3.1 would leave the error attribute out here; the API's clients are
 * promised one header for every 401.
 */
export function tokenMissing(kind = "a JWT"): Problem {
  return new Problem(
    "invalid_token",
    `This endpoint needs ${kind} in the header \`Authorization: Bearer …\`.`,
    {
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    },
  );
}

/** A write with a token of scope `read` (RFC 6750, insufficient_scope). */
export function scopeInsufficient(): Problem {
  return new Problem(
    "insufficient_scope",
    "This token is for reading only. Sign in without `scope: read` to change something.",
    {
      headers: { "www-authenticate": 'Bearer error="insufficient_scope"' },
    },
  );
}
