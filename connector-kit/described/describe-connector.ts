/** Makes a connector out of a description. */
import type { Connector } from "../connector.ts";
import { describedClassify } from "./described-classify.ts";
import { describedFields } from "./described-fields.ts";
import { describedRead } from "./described-read.ts";
import { describedWrite } from "./described-write.ts";
import type { Description } from "./description.ts";

/** Returns the connector that carries out the description. `provider` is named in messages. */
export function describeConnector(provider: string, description: Description): Connector {
  const classify = describedClassify(provider, description);
  const fields = describedFields(description, classify);
  const ofModule = description.module === undefined ? {} : { module: description.module };
  return {
    classify,
    write: { ...describedWrite(description, classify), ...ofModule },
    read: { ...describedRead(description, classify), ...ofModule },
    ...(fields && { fields: { ...fields, ...ofModule } }),
  };
}
