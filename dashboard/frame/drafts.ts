/** The calls that open forms will send, for the panel "API". */
import { useEffect, useSyncExternalStore } from "react";
import type { Input, OperationId } from "../api/call.ts";

export interface Draft {
  operationId: OperationId;
  input: Readonly<Record<string, unknown>>;
}

let drafts: readonly Draft[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Draft[]): void {
  drafts = next;
  for (const tell of listeners) tell();
}

/** Shows in the panel "API" what this form will send, as long as the form is there. */
export function useDraft<Id extends OperationId>(operationId: Id, input: Input<Id>): void {
  const text = JSON.stringify(input);
  useEffect(() => {
    const draft: Draft = { operationId, input: JSON.parse(text) };
    change([...drafts, draft]);
    return () => change(drafts.filter((one) => one !== draft));
  }, [operationId, text]);
}

export const useDrafts = (): readonly Draft[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => drafts,
  );
