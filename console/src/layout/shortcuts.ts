import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { toggleExact } from "../browser/exact-amounts.ts";
import { NAVIGATION } from "../browser/paths.ts";

const CHORD_MS = 1200;

/** `g` and a page's key go there, as in the tools that operators know; `/` goes to the page's search, `x` shows amounts exact or short. */
export function useGoKeys(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goneAt = 0;
    const press = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        target.closest("input, textarea, select, [role=dialog]")
      )
        return;
      if (event.key === "/") {
        const search = document.querySelector<HTMLInputElement>("input[type=search]");
        if (search) event.preventDefault();
        search?.focus();
        return;
      }
      if (event.key === "x") {
        toggleExact();
        return;
      }
      if (event.key === "g") {
        goneAt = Date.now();
        return;
      }
      const item = NAVIGATION.find(({ key }) => key === event.key);
      if (item && Date.now() - goneAt < CHORD_MS) void navigate({ to: item.to });
      goneAt = 0;
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate]);
}
