// What is wrong with a form that was sent: beside the input that it is about, or above the buttons.
import { ApiError } from "@vaultops/sdk/client";
import { CopyButton } from "../copy.tsx";

/** What the service says of one input of a body, by its JSON pointer. */
export function faultAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.errors.find((one) => one.path === path)?.message;
}

/** The failure as a whole: what the service says, and under which request id. The session's end is said by the sign-in. */
export function FormError({ error }: { error: unknown }) {
  if (!error || (error instanceof ApiError && error.status === 401)) return null;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className="rounded-md bg-critical-wash px-3 py-2 text-critical">
      <p className="break-words">{error instanceof Error ? error.message : String(error)}</p>
      {requestId && (
        <p className="flex items-center gap-1 text-xs">
          request <code className="break-all font-mono">{requestId}</code>
          <CopyButton text={requestId} label="request id" />
        </p>
      )}
    </div>
  );
}
