// Where the audit log is streamed to, as the configuration names it.

type StreamType = "splunk_hec" | "http_ndjson";

export interface StreamPlace {
  /** What its place in the log is kept under. */
  name: string;
  type: StreamType;
  url: string;
  /** As it stands now: it may come from a file that changes. */
  token(): string | null;
}

interface Configured {
  streams: readonly {
    type: StreamType /** The configuration fills it in. */;
    name: string | null;
    url: string;
    token: string | null;
  }[];
}

export function streamPlaces({ streams }: Configured): StreamPlace[] {
  return streams.map((stream) => ({
    name: stream.name as string,
    type: stream.type,
    url: stream.url,
    token: () => stream.token,
  }));
}
