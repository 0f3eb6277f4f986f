import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { POLL_MS, polled, serverNow } from "./client.ts";
import { getSession, keepRoles, type Me, useSession, useWaitsFor } from "./session.ts";

export const meQuery = polled("GET /api/v1/auth/me", {}, POLL_MS.slow);

/** Confirms a kept token on load, and follows the session's roles from then on. */
export function useRoles(): void {
  const me = useMe();
  useEffect(() => {
    if (me && getSession() !== null) keepRoles(me, serverNow());
  }, [me]);
}

/** Who is signed in, with roles, or whom the page waits for; undefined when nobody is, or it is not known yet. */
export function useMe(): Me | undefined {
  const session = useSession();
  const { data } = useQuery({ ...meQuery, enabled: session !== null });
  const waitsFor = useWaitsFor();
  return session === null && waitsFor === null ? undefined : data;
}
