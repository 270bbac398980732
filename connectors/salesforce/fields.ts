/** Describes and creates Salesforce fields: entry point for fields. */
import type { CustomFieldsConnector } from "../../connector-kit/fields.ts";
import { findFieldFaults, buildFullName } from "./custom-field.ts";
import { describeObject, listObjects } from "./describe.ts";
import { upsertCustomFields } from "./upsert-custom-fields.ts";

export const fields: CustomFieldsConnector = {
  module: "crm",
  describe: describeObject,
  listObjects,
  check: findFieldFaults,
  getName: (request) => buildFullName(request).toLowerCase(),
  upsert: upsertCustomFields,
};
