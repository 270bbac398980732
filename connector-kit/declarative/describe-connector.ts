/** Builds a connector from a description. */
import type { Connector } from "../connector.ts";
import { createDeclarativeClassify } from "./create-declarative-classify.ts";
import { readDeclarativeFields } from "./declarative-fields.ts";
import { createDeclarativeRead } from "./create-declarative-read.ts";
import { createDeclarativeWrite } from "./write/create-declarative-write.ts";
import type { Description } from "./rules/description.ts";
import { listKnownObjects } from "./object-plan.ts";

/** Returns the connector that carries out the description. `provider` is named in messages. */
export function describeConnector(provider: string, description: Description): Connector {
  const classify = createDeclarativeClassify(provider, description);
  const fields = readDeclarativeFields(description, classify);
  const ofModule = description.module === undefined ? {} : { module: description.module };
  return {
    classify,
    objects: listKnownObjects(description),
    write: { ...createDeclarativeWrite(description, classify), ...ofModule },
    read: { ...createDeclarativeRead(description, classify), ...ofModule },
    ...(fields && { fields: { ...fields, ...ofModule } }),
  };
}
