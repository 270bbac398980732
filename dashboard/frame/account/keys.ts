/** Single keys and the shortcuts of the frame. Never in fields; single keys can be switched off. */
import { useEffect, useRef } from "react";

const KEY = "busbar-single-keys";

export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(KEY, on ? "on" : "off");
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("input, select, textarea") ||
    target.closest("[role=dialog]") !== null);

/** A key, or two after one another: `{"/": …, "g o": …}`. The newest functions are called. */
type Shortcuts = Readonly<Record<string, (() => void) | undefined>>;

const SECOND_KEY_MS = 1_000;

/** Calls the function of a single key while the component is there. */
export function useSingleKeys(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  }, [shortcuts]);
  useEffect(() => {
    let first = { key: "", at: 0 };
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !areSingleKeysOn()) return;
      const isSecond = event.timeStamp - first.at < SECOND_KEY_MS;
      const act = (isSecond && current.current[`${first.key} ${event.key}`]) || current.current[event.key];
      first = { key: event.key, at: event.timeStamp };
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Calls the function for ⌘ or Ctrl with this key, in fields too. */
export function useCommandKey(key: string, act: () => void): void {
  const current = useRef(act);
  useEffect(() => {
    current.current = act;
  }, [act]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== key) return;
      event.preventDefault();
      current.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [key]);
}
