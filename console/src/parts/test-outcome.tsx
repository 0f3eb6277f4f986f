// What came of a test of a channel or an endpoint: whether the message arrived, and what the other side said.
import { CircleAlert, CircleCheck } from "lucide-react";
import { FormError } from "../ui/form/form-error.tsx";

interface Props {
  isWell: boolean;
  title: string;
  /** What is known of the answer, in a line. */
  says: string;
  /** The beginning of the answer's body, where there was one. */
  excerpt: string | null | undefined;
}

export function TestOutcome({ isWell, title, says, excerpt }: Props) {
  const Icon = isWell ? CircleCheck : CircleAlert;
  return (
    <section
      role="status"
      aria-label="Outcome of the test"
      className={`mb-4 flex items-start gap-2.5 rounded-lg border px-3.5 py-2.5 ${isWell ? "bg-good-wash text-good" : "bg-critical-wash text-critical"}`}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="num break-words">{says}</p>
        {excerpt && (
          <pre className="mt-1 max-h-32 overflow-auto whitespace-pre-wrap break-all font-mono text-2xs">
            {excerpt}
          </pre>
        )}
      </div>
    </section>
  );
}

/** The test itself failed: nothing was sent. */
export function TestFailure({ error }: { error: unknown }) {
  return (
    <div className="mb-4">
      <FormError error={error} />
    </div>
  );
}
