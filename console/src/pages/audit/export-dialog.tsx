import { Download } from "lucide-react";
import { useRef, useState } from "react";
import { count, counted } from "../../format/amount.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Segmented } from "../../ui/form/field.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { exportLog, FORMATS, type Format, type Progress, save } from "./export.ts";
import type { Search } from "./queries.ts";

interface ExportDialogProps {
  search: Search;
  total: number;
  isOpen: boolean;
  onClose(): void;
}

/** Exports what the filter shows, with its progress and a way to give it up. */
export function ExportDialog({ search, total, isOpen, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<Format>("csv");
  const [withProofs, setWithProofs] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const running = useRef<AbortController | null>(null);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setProgress({ bytes: 0, total, entries: 0 });
    try {
      const { signal } = controller;
      const { name, file } = await exportLog(search, { format, withProofs, signal, onProgress: setProgress });
      save(name, file);
      toast({ tone: "good", title: "Export complete", detail: name });
      onClose();
    } catch (error) {
      if (!controller.signal.aborted) toastError("The export broke off and was not saved", error);
    } finally {
      running.current = null;
      setProgress(null);
    }
  };
  const giveUp = () => {
    running.current?.abort();
    onClose();
  };

  return (
    <Dialog
      title="Export"
      description={`What matches the filter: ${counted(total, "entry", "entries")}. A file that breaks off is not saved.`}
      isOpen={isOpen}
      onClose={giveUp}
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <Segmented<Format>
            label="Format"
            value={format}
            options={Object.entries(FORMATS).map(([key, { title }]) => [key as Format, title] as const)}
            onChange={setFormat}
          />
          <span className="text-ink-3">{FORMATS[format].what}</span>
        </div>
        <label className={`flex items-center gap-2 ${format === "csv" ? "text-ink-3" : ""}`}>
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent-solid)]"
            disabled={format === "csv"}
            checked={withProofs && format !== "csv"}
            onChange={(event) => setWithProofs(event.target.checked)}
          />
          With a proof for each entry, so that the file verifies alone
        </label>
        <p className="text-xs text-ink-3">
          Check it, today or in years, with <code>vaultops audit verify FILE</code>.
        </p>
        {progress && <ProgressBar progress={progress} />}
        <div className="flex justify-end gap-2">
          <Button onClick={giveUp}>Cancel</Button>
          <Button look="primary" icon={Download} isBusy={progress !== null} onClick={() => void start()}>
            Export
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function ProgressBar({ progress }: { progress: Progress }) {
  const { bytes, entries, total } = progress;
  const part = entries === null || !total ? null : Math.min(1, entries / total);
  return (
    <div>
      <progress
        aria-label="Progress of the export"
        className="h-1.5 w-full overflow-hidden rounded-full"
        {...(part !== null && { value: part })}
        max={1}
      />
      <p role="status" className="num text-xs text-ink-3">
        {entries !== null && total ? `${count(Math.min(entries, total))} of ${count(total)} entries, ` : ""}
        {(bytes / 1e6).toFixed(1)} MB
      </p>
    </div>
  );
}
