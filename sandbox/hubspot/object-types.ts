// Object types of a HubSpot account: names, type ids, default properties and the required ones.

export type ObjectType = {
  /** Plural name, as in paths. */
  name: string;
  singular: string;
  id: string;
  /** Other names for paths. */
  aliases: string[];
  modifiedProperty: string;
  createdProperty: string;
  /** Properties in answers by default. */
  defaults: string[];
  /** Properties that a create must set: all of these, or one of `requiredOneOf`. */
  required: string[];
  requiredOneOf: string[];
  custom: boolean;
};

type Extra = {
  defaults?: string[];
  required?: string[];
  requiredOneOf?: string[];
  contact?: boolean;
  engagement?: boolean;
};

function defineType(id: string, name: string, singular: string, extra: Extra = {}): ObjectType {
  const modifiedProperty = extra.contact === true ? "lastmodifieddate" : "hs_lastmodifieddate";
  const createdProperty = extra.engagement === true ? "hs_createdate" : "createdate";
  return {
    name,
    singular,
    id,
    aliases: [singular.toLowerCase()],
    modifiedProperty,
    createdProperty,
    defaults: [createdProperty, ...(extra.defaults ?? []), "hs_object_id", modifiedProperty],
    required: extra.required ?? [],
    requiredOneOf: extra.requiredOneOf ?? [],
    custom: false,
  };
}

const ENGAGEMENT: Extra = { engagement: true, required: ["hs_timestamp"] };

export const STANDARD_TYPES: ObjectType[] = [
  defineType("0-1", "contacts", "CONTACT", { contact: true, defaults: ["email", "firstname", "lastname"] }),
  defineType("0-2", "companies", "COMPANY", {
    defaults: ["domain", "name"],
    requiredOneOf: ["name", "domain"],
  }),
  defineType("0-3", "deals", "DEAL", {
    defaults: ["amount", "closedate", "dealname", "dealstage", "pipeline"],
    required: ["dealname", "dealstage"],
  }),
  defineType("0-5", "tickets", "TICKET", {
    defaults: [
      "content",
      "hs_pipeline",
      "hs_pipeline_stage",
      "hs_ticket_category",
      "hs_ticket_priority",
      "subject",
    ],
    required: ["subject", "hs_pipeline_stage"],
  }),
  defineType("0-7", "products", "PRODUCT", { defaults: ["name", "price", "description"] }),
  defineType("0-8", "line_items", "LINE_ITEM", { defaults: ["name", "price", "quantity", "amount"] }),
  defineType("0-14", "quotes", "QUOTE", { defaults: ["hs_title", "hs_expiration_date", "hs_status"] }),
  defineType("0-18", "communications", "COMMUNICATION", ENGAGEMENT),
  defineType("0-27", "tasks", "TASK", ENGAGEMENT),
  defineType("0-46", "notes", "NOTE", ENGAGEMENT),
  defineType("0-47", "meetings", "MEETING", ENGAGEMENT),
  defineType("0-48", "calls", "CALL", ENGAGEMENT),
  defineType("0-49", "emails", "EMAIL", ENGAGEMENT),
  defineType("0-115", "users", "USER", { defaults: ["hs_email", "hubspot_owner_id"] }),
  defineType("0-136", "leads", "LEAD", { defaults: ["hs_lead_name", "hs_lead_type", "hs_lead_label"] }),
];

export function createCustomType(
  objectTypeId: string,
  name: string,
  portalId: number,
  required: string[],
): ObjectType {
  const base = defineType(objectTypeId, objectTypeId, name.toUpperCase(), { required });
  return {
    ...base,
    createdProperty: "hs_createdate",
    defaults: ["hs_createdate", "hs_object_id", "hs_lastmodifieddate"],
    aliases: [name, `p${portalId}_${name}`],
    custom: true,
  };
}
