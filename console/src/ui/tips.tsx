// One tooltip for the whole page: whatever carries `data-tip` shows that text on hover and on focus, at once, without a component of
// its own. Escape hides it (WCAG 1.4.13).
import { useEffect, useRef, useState } from "react";

export function Tips() {
  const [shown, setShown] = useState<{ text: string; box: DOMRect } | null>(null);
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = (event: Event) => {
      const on = (event.target as Element | null)?.closest?.("[data-tip]");
      const text = on?.getAttribute("data-tip");
      setShown(on && text ? { text, box: on.getBoundingClientRect() } : null);
    };
    const hide = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return;
      setShown(null);
    };
    document.addEventListener("pointerover", show);
    document.addEventListener("focusin", show);
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", hide);
    window.addEventListener("scroll", hide, true);
    return () => {
      document.removeEventListener("pointerover", show);
      document.removeEventListener("focusin", show);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("keydown", hide);
      window.removeEventListener("scroll", hide, true);
    };
  }, []);
  useEffect(() => {
    const element = tip.current;
    if (!element || !shown) return;
    const { width, height } = element.getBoundingClientRect();
    const left = shown.box.left + shown.box.width / 2 - width / 2;
    const above = shown.box.top - height - 6;
    element.style.left = `${Math.max(6, Math.min(left, innerWidth - width - 6))}px`;
    element.style.top = `${above < 6 ? shown.box.bottom + 6 : above}px`;
    element.style.visibility = "visible";
  }, [shown]);
  if (shown === null) return null;
  return (
    <div
      key={shown.text}
      ref={tip}
      role="tooltip"
      className="num pointer-events-none invisible fixed z-50 max-w-[min(30rem,95vw)] whitespace-pre-line break-words rounded-md border border-line-strong bg-raised px-2 py-1 text-xs text-ink shadow-[var(--shadow)]"
    >
      {shown.text}
    </div>
  );
}
