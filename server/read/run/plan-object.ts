/** Plans a single request for records: of a search, a sample or a dry run. */
import { findFieldsConnector, type ObjectMetadata } from "../../../connector-kit/fields.ts";
import type { FieldFilter, ReadConnector, ReadPlan } from "../../../connector-kit/read-connector.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import type { ProviderCall } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { ReadDefinition } from "../definition/read-definition.ts";
import { needsMetadata, readSet, type ReadSet } from "../definition/read-set.ts";

interface ObjectToPlan {
  definition: ReadDefinition;
  connector: Connector & { read: ReadConnector };
  /** Number of filters. Filters need the types of their fields. */
  filterCount: number;
  /** Returns the filters with the provider's names and values. Throws a Problem. */
  filtersFor(metadata: ObjectMetadata | undefined): FieldFilter[];
}

export interface PlannedObject {
  plan: ReadPlan;
  set: ReadSet;
}

/** Reads the object's metadata only where the plan depends on it. Throws `ProviderError`. */
export async function planObject(
  memory: MetadataMemory,
  { definition, connector, filterCount, filtersFor }: ObjectToPlan,
  { connection, fetch }: ProviderCall,
): Promise<PlannedObject> {
  const { read } = connector;
  const { objectName, associatedObjects } = definition;
  const fields = findFieldsConnector(connector, objectName);
  const isNeeded =
    filterCount > 0 ||
    needsMetadata(definition, read) ||
    read.needsMetadata({ objectName, associations: associatedObjects });
  const metadata =
    fields && isNeeded
      ? await memory.get(connection, objectName, () => fields.describe(objectName, fetch, connection.account))
      : undefined;
  const set = readSet(definition, metadata, read);
  const plan = {
    objectName,
    fields: set.fields,
    filters: filtersFor(metadata),
    associations: read.abilities.associations ? associatedObjects : [],
    ...(metadata && { metadata }),
    account: connection.account,
  };
  return { plan, set };
}
