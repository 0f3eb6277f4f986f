// An export read as it comes, so that its progress shows and it can be given up; saved only when it came whole.
import { api } from "../../api/client.ts";
import { filterOf, type Search } from "./queries.ts";

export const FORMATS = {
  csv: { accept: "text/csv", title: "CSV", what: "for spreadsheets" },
  json: { accept: "application/json", title: "JSON", what: "one document" },
  ndjson: { accept: "application/x-ndjson", title: "NDJSON", what: "an entry a line" },
} as const;
export type Format = keyof typeof FORMATS;

export interface Progress {
  bytes: number;
  /** Entries in all, as the service announces them. */
  total: number | null;
  /** Entries that came, where lines tell (CSV and NDJSON). */
  entries: number | null;
}

interface ExportOptions {
  format: Format;
  withProofs: boolean;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** Resolves with the file. Throws when it was refused, given up or cut short: an export that is not whole is worth nothing. */
export async function exportLog(
  search: Search,
  options: ExportOptions,
): Promise<{ name: string; file: Blob }> {
  const { format, withProofs, signal, onProgress } = options;
  const response = await api.open("GET /api/v1/audit/export", {
    query: { ...filterOf(search), ...(withProofs && format !== "csv" && { proofs: true }) },
    headers: { accept: FORMATS[format].accept },
    signal,
  });
  const total = Number(response.headers.get("x-total-count") ?? Number.NaN);
  const progress: Progress = {
    bytes: 0,
    total: Number.isNaN(total) ? null : total,
    entries: format === "json" ? null : 0,
  };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    chunks.push(piece.value as Uint8Array<ArrayBuffer>);
    progress.bytes += piece.value.length;
    if (progress.entries !== null) progress.entries += linesIn(piece.value);
    onProgress({ ...progress });
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return {
    name: name ?? `audit-log.${format}`,
    file: new Blob(chunks, { type: FORMATS[format].accept }),
  };
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return lines;
}

/** Hands a file to the browser's own saving. */
export function save(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Some browsers begin to read only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
