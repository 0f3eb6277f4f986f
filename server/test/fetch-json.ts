// GET of JSON over plain HTTP, for tests whose servers are on the loopback. None is about time: no answer is too late for a busy machine.
import type { FetchJson } from "../src/auth/tokens/jwks.ts";

export const fetchJsonForTests: FetchJson = async (url, { maxBytes }) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const text = await response.text();
  if (text.length > maxBytes) throw new Error("the answer is too large");
  return JSON.parse(text);
};
