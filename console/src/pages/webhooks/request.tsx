import type { Answer } from "@vaultops/sdk/client";
import { CopyButton } from "../../ui/copy.tsx";

type Request = Answer<"GET /api/v1/webhooks/{id}/deliveries">["deliveries"][number]["request"];

/** What every attempt at a delivery sends, as bytes: the body is shown as it is signed. */
export function SentRequest({ request }: { request: Request }) {
  return (
    <section aria-label="Request" className="text-xs">
      <p className="flex items-center gap-1 font-medium">
        Request
        <CopyButton text={request.body} label="body of the request" />
      </p>
      <pre className="mt-1 max-h-60 overflow-auto whitespace-pre-wrap break-all rounded-md border bg-panel px-2.5 py-1.5 font-mono text-2xs text-ink-2">
        {Object.entries(request.headers)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join("")}
        {"webhook-timestamp, webhook-signature: created for each attempt\n\n"}
        {request.body}
      </pre>
    </section>
  );
}
