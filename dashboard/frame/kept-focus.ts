/**
 * Keeps the focus on the page: when the focused element is removed, the heading gets the focus; a button that is disabled while
 * its call is under way gets it back.
 */
import { useEffect } from "react";

export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let isWorking = false;
    const remember = () => {
      last = document.activeElement;
      isWorking = false;
    };
    const leave = () => {
      isWorking = false;
    };
    // A browser then moves the focus to the body without an event.
    const observer = new MutationObserver(() => {
      if (!last) return;
      if (last.matches(":disabled")) isWorking = true;
      if (document.activeElement !== document.body) return;
      // A dialog keeps the focus itself.
      if (!last.isConnected && !document.querySelector("[role=dialog]")) {
        last = null;
        document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
      } else if (isWorking && !last.matches(":disabled") && last instanceof HTMLElement) {
        last.focus({ preventScroll: true });
      }
    });
    document.addEventListener("focusin", remember);
    document.addEventListener("pointerdown", leave);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["disabled"],
    });
    return () => {
      document.removeEventListener("focusin", remember);
      document.removeEventListener("pointerdown", leave);
      observer.disconnect();
    };
  }, []);
}
