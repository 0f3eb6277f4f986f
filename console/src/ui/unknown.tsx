/** What the service does not know: never 0, and with the reason where there is one. */
export function Unknown({ reason }: { reason?: string | null | undefined }) {
  return (
    <span data-tip={reason ?? "not known"} className="text-ink-3">
      <span aria-hidden>–</span>
      <span className="sr-only">not known{reason ? `: ${reason}` : ""}</span>
    </span>
  );
}
