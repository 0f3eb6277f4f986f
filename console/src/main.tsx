// Starts the console: theme, session, queries, router.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient, meOf } from "./api/client.ts";
import { goSilently, takeReturn } from "./api/outside-sign-in.ts";
import {
  getEndReason,
  getOwner,
  getSession,
  startSession,
  stopWaiting,
  subscribeSession,
} from "./api/session.ts";
import { createAppRouter } from "./routes.tsx";
import "./styles.css";
import { startTheme } from "./browser/theme.ts";

startTheme();
takeReturn();
await startSession(meOf);
const queries = createQueryClient();
const router = createAppRouter(queries);

let isTyped = false;
document.addEventListener(
  "input",
  () => {
    isTyped = true;
  },
  true,
);
router.history.subscribe(() => {
  isTyped = false;
});

let known = { token: getSession()?.token, owner: getOwner() };
subscribeSession(() => {
  const before = known;
  known = { token: getSession()?.token, owner: getOwner() };
  // Nothing of one person's session is shown in another's.
  if (known.owner !== before.owner) queries.clear();
  if (known.token === before.token) return;
  if (known.token !== undefined) {
    void queries.invalidateQueries();
    return void router.invalidate();
  }
  const { pathname, href } = router.state.location;
  // A session that ran out may go on at its provider. Not over what somebody is typing: leaving would lose it.
  if (getEndReason() !== null && !isTyped && pathname !== "/sign-in") void goSilently(href);
  // Where the page waits for its owner, the frame asks for the sign-in in its place.
  if (known.owner === null && pathname !== "/sign-in")
    void router.navigate({ to: "/sign-in", search: { next: href } });
});
router.history.subscribe(stopWaiting);

createRoot(document.getElementById("root") as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
