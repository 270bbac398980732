/** Describes and creates HubSpot properties: entry point for fields. */
import type { CustomFieldsConnector } from "../../connector-kit/fields.ts";
import { describeObject } from "./describe.ts";
import { propertyFaults, propertyName } from "./property-plan.ts";
import { upsertProperties } from "./upsert-properties.ts";

export const fields: CustomFieldsConnector = {
  module: "crm",
  describe: describeObject,
  check: propertyFaults,
  nameOf: propertyName,
  upsert: upsertProperties,
};
