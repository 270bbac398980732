/** Keeps the focus on the page: when what had it is removed, the heading gets it. */
import { useEffect } from "react";

export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = () => {
      last = document.activeElement;
    };
    // A browser moves the focus to the body then, and tells nothing about it.
    const observer = new MutationObserver(() => {
      if (!last || last.isConnected || document.activeElement !== document.body) return;
      // A dialog has a trap of its own.
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
