/** Builds a connector from a description. */
import type { Connector } from "../connector.ts";
import type { KnownObjects } from "../known-objects.ts";
import { declarativeClassify } from "./declarative-classify.ts";
import { readDeclarativeFields } from "./declarative-fields.ts";
import { declarativeRead } from "./declarative-read.ts";
import { declarativeWrite } from "./write/declarative-write.ts";
import type { Description } from "./rules/description.ts";
import { findPlan, buildPlans, type Mode } from "./object-plan.ts";

/** Returns the connector that carries out the description. `provider` is named in messages. */
export function describeConnector(provider: string, description: Description): Connector {
  const classify = declarativeClassify(provider, description);
  const fields = readDeclarativeFields(description, classify);
  const ofModule = description.module === undefined ? {} : { module: description.module };
  return {
    classify,
    objects: { ...knownObjects(description), ...ofModule },
    write: { ...declarativeWrite(description, classify), ...ofModule },
    read: { ...declarativeRead(description, classify), ...ofModule },
    ...(fields && { fields: { ...fields, ...ofModule } }),
  };
}

function knownObjects(description: Description): KnownObjects {
  const isSupported = (action: "read" | "write", modes: Mode[]): boolean =>
    modes.some((mode) => (action === "read") === (mode === "read"));
  return {
    names: (action) =>
      buildPlans(description).flatMap(({ name, modes }) => (isSupported(action, modes) ? [name] : [])),
    fields(objectName) {
      const { fields, list } = findPlan(description, objectName)?.metadata ?? {};
      return fields && !list ? Object.keys(fields) : undefined;
    },
    can: (action, objectName) => isSupported(action, findPlan(description, objectName)?.modes ?? []),
  };
}
