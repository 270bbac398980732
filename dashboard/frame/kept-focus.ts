/** Keeps the focus on the page: when the focused element is removed, the heading gets the focus. */
import { useEffect } from "react";

export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = () => {
      last = document.activeElement;
    };
    // A browser then moves the focus to the body without an event.
    const observer = new MutationObserver(() => {
      if (!last || last.isConnected || document.activeElement !== document.body) return;
      // A dialog keeps the focus itself.
      if (document.querySelector("[role=dialog]")) return;
      last = null;
      document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    });
    document.addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
