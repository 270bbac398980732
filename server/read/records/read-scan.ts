/** Prepares the requests of a run, and the function that makes entries of records. */
import { findFieldsConnector, type ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { ReadPlan } from "../../../connector-kit/read-connector.ts";
import { now } from "../../../ground/clock.ts";
import { callProvider, type CallServices } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { ClaimedRun } from "../../store/reads/read-runs.ts";
import type { LogEntry } from "../../store/operations/operations.ts";
import { resolveFilters } from "../definition/provider-filters.ts";
import type { ReadPaces } from "./paced-fetch.ts";
import { needsMetadata, readSet, type ReadSet } from "../definition/read-set.ts";
import type { MessageDestination, ReadTarget } from "../definition/read-target.ts";
import { shapeRecords, type RecordShaper } from "./shape-record.ts";

/** The target of a run whose messages have a destination now. */
type DeliveringTarget = ReadTarget & { destination: MessageDestination };

export interface ReadScan {
  run: ClaimedRun;
  target: DeliveringTarget;
  /** Without an upper bound where the scan has none. */
  plan: ReadPlan;
  /** When this turn began: the upper bound of a scan that has not had its first page. */
  startTime: Date;
  shaper: RecordShaper;
  set: ReadSet;
  /** Optional fields that the provider refused or does not have; they are no longer requested. */
  refused: Set<string>;
  /** Whether the fields of the object's records are known. Those of changed records alone are not stored. */
  learning: "wanted" | "failed" | "done";
  /** Whether the fields that no record had were compared with those that the object has. */
  isCompared: boolean;
  /** Requests for the page that could not be read. */
  failedCalls: number;
  /** Steps for the log of the operation, added to the next commit. */
  log: LogEntry[];
}

export interface ScanServices extends CallServices {
  metadata: MetadataMemory;
  paces: ReadPaces;
}

/** Throws `ProviderError` when the fields of the object are needed and cannot be read. */
export async function openReadScan(
  deps: ScanServices,
  run: ClaimedRun,
  target: DeliveringTarget,
): Promise<ReadScan> {
  const { definition, connector } = target;
  const metadata = await findMetadata(deps, run, target);
  const set = readSet(definition, metadata, connector.read);
  const filters = run.kind === "backfill" ? definition.backfillFilters : definition.filters;
  return {
    run,
    target,
    plan: {
      objectName: run.objectName,
      fields: set.fields,
      ...(run.sinceTime && { since: run.sinceTime }),
      filters: resolveFilters(filters, definition, metadata, connector.read),
      associations: connector.read.abilities.associations ? definition.associatedObjects : [],
      ...(metadata && { metadata }),
    },
    startTime: now(),
    shaper: shapeRecords(set, connector.read, {
      absentMeansEmpty: connector.read.absentMeansEmpty?.(run.objectName),
      known: run.knownFields,
      renamable: connector.read.listRenamable?.(run.objectName),
    }),
    set,
    refused: new Set(),
    learning: chooseLearning(run),
    isCompared: false,
    failedCalls: 0,
    log: [],
  };
}

/** Returns whether fields are to be learned: a run whose whole list could not be read has that in its checkpoint. */
function chooseLearning({ knownFields, sinceTime, checkpoint }: ClaimedRun): ReadScan["learning"] {
  if (knownFields !== null || !sinceTime) return "done";
  return checkpoint?.["learning"] === "failed" ? "failed" : "wanted";
}

/** Reads the object's metadata only if fields, filters or the connector depend on it. */
async function findMetadata(
  deps: ScanServices,
  { projectId, connectionId, objectName, kind }: ClaimedRun,
  { definition, connector }: ReadTarget,
): Promise<ObjectMetadata | undefined> {
  const fields = findFieldsConnector(connector, objectName);
  const filters = kind === "backfill" ? definition.backfillFilters : definition.filters;
  const isNeeded =
    needsMetadata(definition, connector.read) ||
    filters.length > 0 ||
    connector.read.needsMetadata({ objectName, associations: definition.associatedObjects });
  if (!fields || !isNeeded) return undefined;
  return callProvider(deps, { projectId, connectionId }, ({ connection, fetch }) =>
    deps.metadata.get(connection, objectName, () => fields.describe(objectName, fetch, connection.account)),
  );
}

/** Returns the longest overlap of the object's scheduled runs. */
export const computeLongestOverlapMs = ({ connector }: ReadTarget): number => {
  const { overlapMs, deletionsOverlapMs = 0, settlingOverlapMs = 0 } = connector.read.abilities;
  return Math.max(overlapMs, deletionsOverlapMs, settlingOverlapMs);
};
