/** What happens around navigation: the focus moves to the heading; files that are gone lead to a reload. */
import type { AnyRouter } from "@tanstack/react-router";
import { call } from "./api/call.ts";
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

/** After an upgrade, files of the page that is open may be gone. */
export function reloadForMissingFiles(): void {
  window.addEventListener("vite:preloadError", reloadOnce);
}

/**
 * Reloads the page if the server answers, once a minute at most. Otherwise the browser would show its own error in the place of
 * everything that is still in sight.
 */
function reloadOnce(): void {
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (nowMs() - last < ONCE_PER_MS) return;
  void call("listSignInWays", {}).then(
    () => {
      sessionStorage.setItem(KEY, String(nowMs()));
      location.reload();
    },
    () => {
      // The server is away, which the bar says.
    },
  );
}
