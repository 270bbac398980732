/** Insightly's objects. An update is sent to the list's address with the id in the body. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Insightly", "https://{{.subdomain}}.insightly.com", "%s:", {
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt:
        "The API address of your account without .insightly.com, for example api.na1; it is in your user settings.",
      // Insightly's introduction names no address without a pod, and api.insightly.com answers 404 for every resource.
      defaultValue: "api.na1",
    },
  ],
});

/** The member that holds an object's id, in records and in updates. */
const describeById = (name: string): ObjectRules => ({
  idPath: name,
  update: { method: "PUT", path: "/v3.1/{path}", idTo: `body.${name}` },
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/v3.1/{path}/Search", pageSize: { to: "query.top", most: 500 } },
    paging: { offset: { to: "query.skip" } },
    // Custom fields are entries of a list, without a type.
    flatten: "CUSTOMFIELDS",
    flattenBy: "FIELD_NAME",
    typedValues: { type: "FIELD_NAME", single: true, values: { "*": "FIELD_VALUE" } },
    changedPath: "DATE_UPDATED_UTC",
    since: { to: "query.updated_after_utc", format: "rfc3339-seconds" },
    create: { method: "POST", path: "/v3.1/{path}" },
    delete: { method: "DELETE", path: "/v3.1/{path}/{id}", accepted: true },
    get: { path: "/v3.1/{path}/{id}" },
  },
  objects: {
    Contacts: { ...describeById("CONTACT_ID"), example: { FIRST_NAME: "Ada" } },
    Leads: { ...describeById("LEAD_ID"), example: { LAST_NAME: "Quill" } },
    Organisations: { ...describeById("ORGANISATION_ID"), example: { ORGANISATION_NAME: "Quill Ltd" } },
    Opportunities: { ...describeById("OPPORTUNITY_ID"), example: { OPPORTUNITY_NAME: "Pens" } },
    Projects: { ...describeById("PROJECT_ID"), example: { PROJECT_NAME: "Move" } },
    Tasks: { ...describeById("TASK_ID"), example: { TITLE: "Call Ada" } },
  },
  errors: { message: ["Message"], plainText: true },
  sources: {
    documentation: "https://api.insightly.com/v3.1/Help",
    checked:
      "2026-11-28, two clients by others, one of them generated from Insightly's OpenAPI file of version 3.1, recorded answers, Insightly's introduction: all but the order of lists, which no request can choose. Custom fields are read by name, and written as the list `CUSTOMFIELDS`",
  },
};
