/** Reads and makes fields of Salesforce objects: the contents page of what this folder knows about them. */
import type { FieldsConnector } from "../../connector-kit/fields.ts";
import { fieldFaults, fullNameOf } from "./custom-field.ts";
import { describeObject } from "./describe.ts";
import { upsertCustomFields } from "./upsert-custom-fields.ts";

export const fields: FieldsConnector = {
  module: "crm",
  describe: describeObject,
  check: fieldFaults,
  nameOf: (request) => fullNameOf(request).toLowerCase(),
  upsert: upsertCustomFields,
};
