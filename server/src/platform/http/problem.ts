// Failures as answers (RFC 9457). Whatever is thrown in a request ends here as an entry of the catalogue; what is not known becomes
// `internal_error`, is logged with its stack, and tells the client nothing but the request id.
import { ERRORS, Problem } from "../errors.ts";

/** Where the problem types are documented: `{base}#{code}`. */
export interface ProblemSettings {
  typeBase: string;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * The problem that an error is, for the client. `isFault` is true where the service is to blame and the error must be logged.
 * `maxBodyBytes` is what the route takes.
 */
export function problemOf(error: unknown, maxBodyBytes?: number): { problem: Problem; isFault: boolean } {
  if (error instanceof Problem)
    return { problem: error, isFault: error.status >= 500 && error.code !== "not_ready" };
  const known = error as { code?: unknown; statusCode?: unknown; message?: unknown } | null;
  const code = typeof known?.code === "string" ? known.code : "";
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return client(
        new Problem(
          "body_too_large",
          `The body is larger than this endpoint accepts${maxBodyBytes === undefined ? "" : ` (${maxBodyBytes} bytes)`}.`,
        ),
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return client(new Problem("unsupported_media_type", "Send the body as application/json."));
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return client(new Problem("invalid_request", "The body is not as long as Content-Length says."));
    case "FST_ERR_BAD_URL":
      return client(new Problem("invalid_request", "The path is not valid percent-encoded UTF-8."));
    case "FST_ERR_NOT_FOUND":
      return client(new Problem("not_found", "There is no such path."));
  }
  if (isUnavailable(code, known)) {
    const detail =
      "A part of the service that the answer needs cannot be reached. Repeat the request shortly.";
    return {
      problem: new Problem("service_unavailable", detail, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      isFault: true,
    };
  }
  if (typeof known?.statusCode === "number" && known.statusCode >= 400 && known.statusCode < 500) {
    return client(new Problem("invalid_request", "The request could not be read."));
  }
  return {
    problem: new Problem("internal_error", "The service failed; the error is logged under this request id."),
    isFault: true,
  };
}

/** The problem document and the headers that go with it. */
export function renderProblem(
  problem: Problem,
  requestId: string,
  settings: ProblemSettings,
): { body: string; headers: Record<string, string> } {
  const { errors, retryAfterSeconds, headers: ownHeaders, ...members } = problem.extra;
  const { title, status } = ERRORS[problem.code];
  const body = JSON.stringify({
    type: `${settings.typeBase}#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(errors === undefined ? {} : { errors }),
    ...members,
  });
  const headers: Record<string, string> = {
    "content-type": "application/problem+json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...ownHeaders,
  };
  if (retryAfterSeconds !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  else if (status === 503) headers["retry-after"] = String(RETRY_AFTER_SECONDS);
  if (status === 401) headers["www-authenticate"] ??= 'Bearer error="invalid_token"';
  return { body, headers };
}

function client(problem: Problem): { problem: Problem; isFault: boolean } {
  return { problem, isFault: false };
}

/** Node's codes for a connection that failed, and PostgreSQL's (class 08, 53300, 57P0x, 40001, 40P01, 25006, 57014). */
const UNAVAILABLE =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FST_ERR_HANDLER_TIMEOUT|08...|53...|57P0.|57014|40001|40P01|25006)$/;
/** What `pg` says without a code when a connection ends or none can be opened. */
const UNAVAILABLE_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/;

function isUnavailable(code: string, error: { message?: unknown; syscall?: unknown } | null): boolean {
  if (UNAVAILABLE.test(code)) return true;
  if (code === "ENOENT" && error?.syscall === "connect") return true;
  return typeof error?.message === "string" && UNAVAILABLE_MESSAGES.test(error.message);
}
