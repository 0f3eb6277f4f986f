import { Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { toast } from "../../ui/toast.tsx";

interface SecretDialogProps {
  /** The secret, shown this once; null: nothing to show. */
  secret: string | null;
  /** What there is to know beside it. */
  note?: string;
  onClose(): void;
}

/** A secret that the service tells once: it is left only by saying that it is kept. */
export function SecretDialog({ secret, note, onClose }: SecretDialogProps) {
  const [isKept, setKept] = useState(false);
  const close = () => {
    setKept(false);
    onClose();
  };
  return (
    <Dialog
      title="The signing secret"
      description="It is shown only once. Your receiver verifies each delivery with it."
      isOpen={secret !== null}
      onClose={() => isKept && close()}
    >
      {secret !== null && (
        <div className="flex flex-col gap-4">
          <div className="flex items-center gap-2 rounded-md border border-line-strong bg-canvas py-1.5 pr-1.5 pl-3">
            <code className="min-w-0 flex-1 select-all break-all font-mono text-xs">{secret}</code>
            <Button
              size="small"
              icon={Copy}
              onClick={async () => {
                try {
                  await navigator.clipboard.writeText(secret);
                  toast({ tone: "good", title: "The secret is copied" });
                } catch {
                  toast({ tone: "warning", title: "The browser did not allow copying: mark and copy it" });
                }
              }}
            >
              Copy
            </Button>
          </div>
          {note && <p className="text-ink-2">{note}</p>}
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-[var(--accent-solid)]"
              checked={isKept}
              onChange={(event) => setKept(event.target.checked)}
            />
            I have stored it
          </label>
          <div className="flex justify-end">
            <Button look="primary" disabled={!isKept} onClick={close}>
              Done
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
