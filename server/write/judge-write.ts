/** Tells from the outcomes of a write whether the provider carries out writes of its kind. Pure. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import type { ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import type { WriteKind, WriteVerdict } from "../store/operations/failing-writes.ts";

/** The provider did not do its part, or nobody knows. All others concern the record, the credentials or a rate limit. */
const FAULTS = new Set<ProviderErrorKind>(["unavailable", "timeout", "unknown_outcome", "unreadable"]);

/** Returns undefined if the outcomes say nothing of the provider: it has refused what the records contain. */
export function judgeWrite(
  { installationId, objectName, writeType }: WriteKind,
  outcomes: readonly RecordOutcome[],
): Omit<WriteVerdict, "operationId" | "time"> | undefined {
  const kind = { installationId, objectName, writeType };
  if (outcomes.some(({ success }) => success)) return { ...kind, works: true };
  const isFault = outcomes.some((outcome) => !outcome.success && FAULTS.has(outcome.error.kind));
  return isFault ? { ...kind, works: false } : undefined;
}
