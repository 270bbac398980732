/** A secret that is shown for 30 seconds on request and kept nowhere; the API notes each reveal in the audit. */
import { useCallback, useEffect, useState } from "react";
import { call, type Answer, type Input, type OperationId } from "../../api/call.ts";

const SHOWN_MS = 30_000;

interface Revealed<Id extends OperationId> {
  secret: string | undefined;
  error: Error | null;
  busy: boolean;
  reveal: (input: Input<Id>) => void;
  forget: () => void;
}

export function useRevealed<Id extends OperationId>(
  operationId: Id,
  getSecret: (answer: Answer<Id>) => string | undefined,
): Revealed<Id> {
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const forget = useCallback(() => setSecret(undefined), []);
  useEffect(() => {
    if (secret === undefined) return;
    const timer = setTimeout(forget, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [secret, forget]);
  // Not by the cache of answers, which would keep the secret.
  const reveal = (input: Input<Id>) => {
    setBusy(true);
    setError(null);
    call(operationId, input)
      .then((answer) => setSecret(getSecret(answer) ?? ""))
      .catch((failure: unknown) => setError(failure instanceof Error ? failure : new Error(String(failure))))
      .finally(() => setBusy(false));
  };
  return { secret, error, busy, reveal, forget };
}
