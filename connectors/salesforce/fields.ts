/** Describes and creates Salesforce fields: entry point for fields. */
import type { CustomFieldsConnector } from "../../connector-kit/fields.ts";
import { fieldFaults, buildFullName } from "./custom-field.ts";
import { describeObject, listObjects } from "./describe.ts";
import { upsertCustomFields } from "./upsert-custom-fields.ts";

/** Standard objects whose names resemble those of no other one. */
const USUAL_OBJECTS = [
  "Account",
  "Contact",
  "Contract",
  "Opportunity",
  "OpportunityContactRole",
  "OpportunityLineItem",
  "Campaign",
  "CampaignMember",
  "EmailMessage",
  "Pricebook2",
  "PricebookEntry",
  "Product2",
];

export const fields: CustomFieldsConnector = {
  module: "crm",
  describe: describeObject,
  usualObjects: USUAL_OBJECTS,
  listObjects,
  check: fieldFaults,
  getName: (request) => buildFullName(request).toLowerCase(),
  upsert: upsertCustomFields,
};
