/** The calls that were sent from the playground in this tab of the browser; they are forgotten with the tab. */
import { useSyncExternalStore } from "react";

export interface SentCall {
  id: number;
  time: string;
  /** What was sent, as "create contacts" or "GET /crm/objects/2026-03". */
  words: string;
  status: "success" | "failure" | "in_progress";
  /** Address of the page of the operation, or of the list that contains the call. */
  to?: string;
  /** Filters of the address that fill the form again. */
  filters: Readonly<Record<string, string | undefined>>;
  /** Text of the editor; it is kept in memory only. */
  text: string;
}

const MAX = 20;
let calls: readonly SentCall[] = [];
let newestId = 0;
const listeners = new Set<() => void>();

export function rememberCall(sent: Omit<SentCall, "id">): void {
  newestId += 1;
  calls = [{ ...sent, id: newestId }, ...calls].slice(0, MAX);
  for (const tell of listeners) tell();
}

export const useSentCalls = (): readonly SentCall[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => calls,
  );
