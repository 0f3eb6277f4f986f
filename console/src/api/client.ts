// The one way to the service: the SDK's client on the page's own origin, with what holds for every call in one place: the token,
// the end of the session on 401, the service's clock, polling, retries.

import { QueryClient, queryOptions } from "@tanstack/react-query";
import { type Answer, ApiError, type CallOptions, createClient, type Route } from "@vaultops/sdk/client";
import { type EndReason, endSession, getSession, type MeOf } from "./session.ts";

export const api = createClient({
  baseUrl: "",
  token: () => getSession()?.token ?? null,
  onResponse(response) {
    noteClock(response.headers.get("date"));
    if (response.status === 401 && getSession() !== null) void endByRefusal(response.clone());
  },
});

/** Between polls, by how fast the thing changes (the intervals that the API's guides give to pollers). */
export const POLL_MS = { state: 15_000, services: 30_000, activity: 20_000, slow: 60_000 } as const;

/**
 * A route as a query that is polled. The key is the route with what it is asked with; answers are revalidated by their ETag, so a
 * poll that finds nothing new costs no body.
 */
export function polled<R extends Route>(route: R, options: Omit<CallOptions<R>, "signal">, everyMs: number) {
  return queryOptions({
    queryKey: [route, options],
    queryFn: ({ signal }): Promise<Answer<R>> =>
      (api.call as (route: R, options: object) => Promise<Answer<R>>)(route, { ...options, signal }),
    refetchInterval: everyMs,
    staleTime: everyMs / 2,
  });
}

/** Calls that change something go through here, so that they too end the session on 401; errors are the caller's to show. */
export const call = api.call;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A browser that thinks itself offline still reaches a service on the same machine; and a poll is soon asked again.
        networkMode: "always",
        retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
        retryDelay: 1000,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: "always" },
    },
  });
}

/** Who the caller is, as the service says. */
export const meOf: MeOf = async (token) => {
  try {
    const me = await call("GET /api/v1/auth/me", { headers: { authorization: `Bearer ${token}` } });
    return { me, nowMs: serverNow() };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401)
      return { refusal: refusalOf(error.detail, error.requestId) };
    throw error;
  }
};

async function endByRefusal(response: Response): Promise<void> {
  const problem = (await response.json().catch(() => ({}))) as { detail?: string; request_id?: string };
  endSession(refusalOf(problem.detail, problem.request_id ?? response.headers.get("x-request-id")));
}

function refusalOf(detail: string | undefined, requestId: string | null): EndReason {
  return {
    title: "You were signed out",
    detail: detail ?? "The service no longer accepts your session.",
    requestId,
  };
}

let clockOffsetMs = 0;

/** Now by the service's clock, so that countdowns are right on a machine whose own is wrong. */
export const serverNow = (): number => Date.now() + clockOffsetMs;

function noteClock(date: string | null): void {
  if (date === null) return;
  // The header has whole seconds, and travelled: only a real difference counts.
  const offsetMs = Date.parse(date) + 500 - Date.now();
  clockOffsetMs = Math.abs(offsetMs) > 3000 ? offsetMs : 0;
}
