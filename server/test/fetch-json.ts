// GET of JSON over plain HTTP, for tests whose servers are on the loopback.
import type { FetchJson } from "../src/auth/jwks.ts";

export const fetchJsonForTests: FetchJson = async (url, { maxBytes, timeoutMs }) => {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const text = await response.text();
  if (text.length > maxBytes) throw new Error("the answer is too large");
  return JSON.parse(text);
};
