// Starts the console: theme, session, queries, router.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api.ts";
import { createAppRouter } from "./routes.tsx";
import { getSession, startSession, subscribeSession } from "./session.ts";
import "./styles.css";
import { startTheme } from "./theme.ts";

startTheme();
startSession();
const queries = createQueryClient();
const router = createAppRouter(queries);

let known = getSession();
subscribeSession(() => {
  const session = getSession();
  if (session?.token === known?.token) return;
  known = session;
  // Nothing of one session is shown in another.
  queries.clear();
  if (session !== null) return void router.invalidate();
  const { pathname, href } = router.state.location;
  if (pathname !== "/sign-in") void router.navigate({ to: "/sign-in", search: { next: href } });
});

createRoot(document.getElementById("root") as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
