/** Describes and creates HubSpot properties: entry point for fields. */
import type { CustomFieldsConnector } from "../../connector-kit/fields.ts";
import { describeObject, listObjects } from "./describe.ts";
import { hasProperties } from "./event-objects.ts";
import { isReadable } from "./read-object.ts";
import { findPropertyFaults, toPropertyName } from "./property-plan.ts";
import { upsertProperties } from "./upsert-properties.ts";

export const fields: CustomFieldsConnector = {
  module: "crm",
  describes: (objectName) => isReadable(objectName) && hasProperties(objectName),
  describe: describeObject,
  listObjects,
  check: findPropertyFaults,
  getName: toPropertyName,
  upsert: upsertProperties,
};
