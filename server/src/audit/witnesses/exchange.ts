// One submission to one witness, and what its answer is (https://c2sp.org/tlog-witness). Nothing that it answers is believed but a cosignature
// that verifies.
import { type Cosignature, NoteError, openCosignatures } from "@vaultops/proof";
import { type Egress, EgressError } from "../../platform/egress/egress.ts";
import { type Submission, writeSubmission } from "../cosigner/submission.ts";
import type { WitnessPlace } from "./settings.ts";

/**
 * What stands between a witness and us. `ahead`: it names a larger log than ours, unsigned. `conflict`: it holds another log than ours. Both may
 * mean that this log went back or has two stories; the others are for the operators of both to mend.
 */
export type TroubleKind =
  | "ahead"
  | "conflict"
  | "unknown_log"
  | "unknown_key"
  | "answer"
  | "clock"
  | "unreachable";

export interface Trouble {
  kind: TroubleKind;
  message: string;
  toldSize: number | null;
}

export type SubmitOutcome = { cosignature: Cosignature } | { heldSize: number } | { trouble: Trouble };

const TIMEOUT_MS = 10_000;
/** Sixteen cosignatures of the longest kind. */
const MAX_BYTES = 65_536;

export async function submit(
  request: Egress["request"],
  { witness, url }: WitnessPlace,
  submission: Submission,
  signal?: AbortSignal,
): Promise<SubmitOutcome> {
  let answer: Awaited<ReturnType<Egress["request"]>>;
  try {
    answer = await request({
      url: `${url}/add-checkpoint`,
      method: "POST",
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: writeSubmission(submission),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      trusted: true,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return trouble("unreachable", error.message);
  }
  const text = answer.body.toString("utf8");
  switch (answer.status) {
    case 200:
      return answer.isTruncated
        ? trouble("answer", "it answered more than cosignatures")
        : cosignatureIn(submission.note, text, witness);
    case 409:
      return heldSizeIn(String(answer.headers["content-type"] ?? ""), text);
    case 403:
      return trouble(
        "unknown_key",
        "it does not know the key that signed (403): give its operator the keys of GET /api/v1/audit/keys",
      );
    case 404:
      return trouble(
        "unknown_log",
        "it does not know this log (404): give its operator the keys of GET /api/v1/audit/keys",
      );
    case 422:
      return trouble("conflict", "it holds that this log does not begin with what it cosigned before (422)");
    default:
      return trouble("unreachable", `it answered ${answer.status}`);
  }
}

async function cosignatureIn(
  note: string,
  lines: string,
  witness: WitnessPlace["witness"],
): Promise<SubmitOutcome> {
  try {
    const { cosignatures, early } = await openCosignatures(note + lines, [witness]);
    const [cosignature] = cosignatures;
    if (cosignature !== undefined) return { cosignature };
    if (early.length > 0)
      return trouble("clock", "its cosignature is from the future: look at its clock, and at the one here");
    return trouble("answer", "its answer holds no cosignature by its key");
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return trouble("answer", `its answer does not hold: ${error.message}`);
  }
}

/** Without its type a 409 says that the roots differ, as some witnesses have it. */
function heldSizeIn(contentType: string, text: string): SubmitOutcome {
  if (!/^text\/x\.tlog\.size\s*(;|$)/i.test(contentType))
    return trouble("conflict", "it holds another log of this size (409)");
  const size = /^(0|[1-9]\d{0,15})\n?$/.exec(text)?.[1];
  return size === undefined
    ? trouble("answer", "it answered 409 with what is no size")
    : { heldSize: Number(size) };
}

export function trouble(
  kind: TroubleKind,
  message: string,
  toldSize: number | null = null,
): { trouble: Trouble } {
  return { trouble: { kind, message, toldSize } };
}
