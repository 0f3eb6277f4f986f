import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { POLL_MS, polled, serverNow } from "../api.ts";
import { keepRoles, type Me, useSession } from "../session.ts";

export const meQuery = polled("GET /api/v1/auth/me", {}, POLL_MS.slow);

/** Confirms a kept token on load, and follows the session's roles from then on. */
export function useRoles(): void {
  const me = useMe();
  useEffect(() => {
    if (me) keepRoles(me, serverNow());
  }, [me]);
}

/** Who is signed in, with roles; undefined when nobody is, or it is not known yet. */
export function useMe(): Me | undefined {
  const session = useSession();
  const { data } = useQuery({ ...meQuery, enabled: session !== null });
  return session === null ? undefined : data;
}
