// The frame of every page: navigation at the side (behind a button on a small screen), the page, notices.
import { Outlet, useRouterState } from "@tanstack/react-router";
import { Menu } from "lucide-react";
import { Dialog } from "radix-ui";
import { Activity, lazy, Suspense, useEffect, useRef, useState } from "react";
import { useRoles } from "../api/roles.ts";
import { useTurn, useWaitsFor } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { PageSkeleton } from "../ui/states.tsx";
import { Tips } from "../ui/tips.tsx";
import { Toasts } from "../ui/toast.tsx";
import { useGoKeys } from "./shortcuts.ts";
import { Brand, Sidebar } from "./sidebar.tsx";
import { StaleBanner } from "./stale-banner.tsx";

export function Shell() {
  useRoles();
  useGoKeys();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [isMenuOpen, setMenuOpen] = useState(false);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    setMenuOpen(false);
    // Who goes by the keyboard or hears the page goes on from its beginning, not from the link that led here.
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
  return (
    <div className="min-h-dvh lg:pl-56">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent-solid px-3 py-2 text-white focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <aside className="fixed inset-y-0 left-0 z-20 hidden w-56 border-r bg-panel lg:block">
        <Sidebar />
      </aside>
      <header className="sticky top-0 z-20 flex h-12 items-center justify-between border-b bg-panel px-3 lg:hidden">
        <Brand />
        <Dialog.Root open={isMenuOpen} onOpenChange={setMenuOpen}>
          <Dialog.Trigger asChild>
            <Button look="quiet" icon={Menu} aria-label="Open the navigation" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Overlay className="fixed inset-0 z-30 bg-black/55" />
            <Dialog.Content className="fixed inset-y-0 left-0 z-30 w-64 border-r bg-panel">
              <Dialog.Title className="sr-only">Navigation</Dialog.Title>
              <Dialog.Description className="sr-only">Pages of the console</Dialog.Description>
              <Sidebar />
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto max-w-[100rem] px-3 py-4 outline-none sm:px-6 sm:py-5">
        <StaleBanner />
        <Page />
      </main>
      <Toasts />
      <Tips />
    </div>
  );
}

const SignIn = lazy(() => import("../pages/sign-in/page.tsx").then((page) => ({ default: page.SignIn })));

/** The page; in its place, where the session ended in its middle, the sign-in, after which the page is as it was left, forms and all. */
function Page() {
  const isWaiting = useWaitsFor() !== null;
  const turn = useTurn();
  useEffect(() => {
    if (isWaiting) document.getElementById("main")?.focus({ preventScroll: true });
  }, [isWaiting]);
  return (
    <>
      <Activity key={turn} mode={isWaiting ? "hidden" : "visible"}>
        <Outlet />
      </Activity>
      {isWaiting && (
        <Suspense fallback={<PageSkeleton />}>
          <SignIn />
        </Suspense>
      )}
    </>
  );
}
