/** Builds the message about changed fields of an object. Pure. */
import { messageHead } from "../events/message-head.ts";
import type { SchemaMessage } from "../events/schema-message-schema.ts";
import type { FieldChanges } from "./compare-fields.ts";
import type { SchemaCheckTarget } from "./find-check-target.ts";
import type { WatchedObject } from "./watched-objects.ts";

/** Returns the message with the changes that are watched; undefined if there are none. */
export function schemaMessage(
  target: SchemaCheckTarget,
  { objectName, messageName }: WatchedObject,
  changes: FieldChanges,
): SchemaMessage | undefined {
  const { watched, fields, installationUpdateTime, workspace } = target;
  const created = watched.created ? changes.created : [];
  const deleted = watched.deleted ? changes.deleted : [];
  const changed = watched.changed ? changes.changed : [];
  const count = created.length + deleted.length + changed.length;
  if (count === 0) return undefined;
  return {
    action: "schema.watch",
    ...messageHead({ ...fields, installationUpdateTime, messageName, objectName, workspace }),
    resultInfo: { type: "inline", numRecords: count },
    result: {
      ...(created.length > 0 && { createdFields: created }),
      ...(deleted.length > 0 && { deletedFields: deleted }),
      ...(changed.length > 0 && { changedFields: changed }),
    },
  };
}
