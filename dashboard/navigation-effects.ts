/** What happens around navigation: the focus moves to the heading; files of an old build lead to a reload. */
import type { AnyRouter } from "@tanstack/react-router";
import { nowMs } from "./ui/clock.ts";

/** Moves the focus to the heading of the new page, so that a screen reader begins there. */
export function followNavigation(router: AnyRouter): void {
  router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  });
}

const KEY = "busbar-reloaded";
const ONCE_PER_MS = 60_000;

/** After an upgrade, files of the page that is open may be gone: it is reloaded, once. */
export function reloadForMissingFiles(): void {
  window.addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem(KEY) ?? 0);
    if (nowMs() - last < ONCE_PER_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(nowMs()));
    location.reload();
  });
}
