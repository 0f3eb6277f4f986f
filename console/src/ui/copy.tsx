import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { toast } from "./toast.tsx";

/** Copies a text in one click and says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      toast({ tone: "good", title: "Copied", detail: text });
    } catch {
      // Clipboards are closed on plain http of another host: the text can still be marked by hand.
      toast({ tone: "warning", title: "The browser did not allow copying", detail: text });
    }
  }
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={`Copy ${label}`}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void copy();
      }}
      className="-my-0.5 inline-grid size-6 place-items-center rounded text-ink-3 hover:bg-raised hover:text-ink"
    >
      <Icon aria-hidden className="size-3" />
    </button>
  );
}
