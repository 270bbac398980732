/** Finds fields that a run asks for and the account no longer has, where the provider leaves them out instead of refusing them. */
import { findFieldsConnector, type ObjectMetadata } from "../../../connector-kit/fields.ts";
import { isRetryable, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { suggestName } from "../../../ground/closest.ts";
import { callProvider } from "../../operations/call-provider.ts";
import { listRequiredFieldNames, type ReadDefinition } from "../definition/read-definition.ts";
import { locateFields, type FieldNames } from "../definition/read-set.ts";
import type { ReadScan, ScanServices } from "./read-scan.ts";

/**
 * Compares the fields that no record had with the object's description, and leaves out those that it does not have: where the provider
 * leaves out empty fields, they would be null otherwise. It does so on the first page, on the first of each turn, and on the last. Throws
 * `ProviderError` (`invalid`, with the field as `code`) if the manifest requires one of them. Without a record, the fields that
 * were missing before are compared, and the one for whose sake the last read failed: that nothing changed does not bring it back.
 */
export async function leaveOutVanished(
  deps: ScanServices,
  scan: ReadScan,
  { isFirstPage, isLastPage }: { isFirstPage: boolean; isLastPage: boolean },
): Promise<void> {
  const { run, shaper, log } = scan;
  if (!isFirstPage && !isLastPage && scan.isCompared) return;
  scan.isCompared = shaper.isAnyKnown();
  const before = [
    ...(run.missingFields ?? []).map(({ name }) => name),
    ...(run.failedField === null ? [] : [run.failedField]),
  ];
  const asked = shaper.isAnyKnown() ? shaper.missing() : before;
  const isKnown = (name: string) => run.knownFields?.includes(name) === true;
  // In between, a scan goes on in another turn or process: only what would be null matters there.
  const missing = asked.filter(
    (name) => !scan.refused.has(name) && (isFirstPage || isLastPage || isKnown(name)),
  );
  if (missing.length === 0) return;
  const metadata = await describeAgain(deps, scan);
  if (!metadata) {
    if (isLastPage && shaper.isAnyKnown()) {
      const isNull = (name: string) => isKnown(name) && shaper.isNullWhereAbsent(name);
      const [known, unknown] = [missing.filter(isNull), missing.filter((name) => !isNull(name))];
      if (unknown.length > 0)
        log.push(toWarning(`The provider's answers do not have: ${unknown.join(", ")}`));
      // Nobody can tell a field that was cleared in all these records from one that does not exist any more.
      if (known.length > 0)
        log.push({
          severity: "INFO",
          msg: `Null, because no record of this read has them: ${known.join(", ")}`,
        });
    }
    return;
  }
  const vanished = requireFields(missing, metadata, scan.target);
  shaper.leaveOut(vanished);
  for (const name of vanished) {
    scan.refused.add(name);
    log.push(toWarning(`The customer's account has no field ${name}: it is left out`));
  }
}

interface FieldsOwner {
  definition: ReadDefinition;
  connector: { read: FieldNames };
}

/** Returns which of the fields the object does not have. Throws `ProviderError` (`invalid`) if the manifest requires one of them. */
export function requireFields(
  names: string[],
  metadata: ObjectMetadata,
  { definition, connector }: FieldsOwner,
): string[] {
  const locate = locateFields(metadata, connector.read);
  const vanished = names.filter((name) => !locate(name).isKnown);
  const required = new Set(listRequiredFieldNames(definition));
  const [first, ...more] = vanished.filter((name) => required.has(name));
  if (first !== undefined) throw withoutRequired([first, ...more], metadata);
  return vanished;
}

/** Returns the required field that a provider does not know, or that `requireFields` misses; undefined if the failure is another one. */
export function findRefusedField(
  { kind, code }: Pick<ProviderError, "kind" | "code">,
  definition: ReadDefinition | undefined,
  names: FieldNames | undefined,
): string | undefined {
  if (kind !== "invalid" || code === undefined || !definition || !names) return undefined;
  const key = names.fieldKey(code);
  return listRequiredFieldNames(definition).find((name) => names.fieldKey(name) === key);
}

const toWarning = (msg: string) => ({ severity: "WARNING" as const, msg });

/** Describes the object as it is now; undefined where nothing can. */
async function describeAgain(
  deps: ScanServices,
  { run, target, startTime }: ReadScan,
): Promise<ObjectMetadata | undefined> {
  const { projectId, connectionId, objectName } = run;
  const fields = findFieldsConnector(target.connector, objectName);
  if (!fields) return undefined;
  try {
    return await callProvider(deps, { projectId, connectionId }, ({ connection, fetch }) =>
      deps.metadata.get(
        connection,
        objectName,
        () => fields.describe(objectName, fetch, connection.account),
        startTime,
      ),
    );
  } catch (error) {
    if (error instanceof ProviderError && !isRetryable(error.kind)) return undefined;
    throw error;
  }
}

function withoutRequired(
  names: [string, ...string[]],
  { name, displayName, fields }: ObjectMetadata,
): ProviderError {
  const [code] = names;
  const listed = names.map((one) => `\`${one}\``).join(", ");
  const remedy = suggestName(code, Object.keys(fields), "It was deleted, renamed or hidden.");
  const what = names.length > 1 ? "fields" : "field";
  const message = `The customer's account has no ${what} ${listed} of ${displayName || name}, which the manifest requires. ${remedy}`;
  return new ProviderError({ kind: "invalid", code, message });
}
