import { POLL_MS, polled } from "../../api/client.ts";

/** How one signs in here: the identity providers, and whether the embedded one is on. */
export const configQuery = polled("GET /api/v1/auth/config", {}, POLL_MS.slow);
