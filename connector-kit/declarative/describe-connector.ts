/** Builds a connector from a description. */
import type { Connector } from "../connector.ts";
import { declarativeClassify } from "./declarative-classify.ts";
import { readDeclarativeFields } from "./declarative-fields.ts";
import { declarativeRead } from "./declarative-read.ts";
import { declarativeWrite } from "./write/declarative-write.ts";
import type { Description } from "./rules/description.ts";
import { listKnownObjects } from "./object-plan.ts";

/** Returns the connector that carries out the description. `provider` is named in messages. */
export function describeConnector(provider: string, description: Description): Connector {
  const classify = declarativeClassify(provider, description);
  const fields = readDeclarativeFields(description, classify);
  const ofModule = description.module === undefined ? {} : { module: description.module };
  return {
    classify,
    objects: listKnownObjects(description),
    write: { ...declarativeWrite(description, classify), ...ofModule },
    read: { ...declarativeRead(description, classify), ...ofModule },
    ...(fields && { fields: { ...fields, ...ofModule } }),
  };
}
