/** Microsoft Dynamics' tables, by the Dataverse Web API. An update must not create, hence `If-Match`. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { pattern: "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}" },
  defaults: {
    list: { path: "/v9.2/{path}" },
    records: "value",
    paging: { nextUrl: { from: "@odata.nextLink" } },
    changedPath: "modifiedon",
    since: {
      to: "query.$filter",
      template: "modifiedon ge {since}",
      format: "rfc3339-seconds",
      query: { $orderby: "modifiedon asc" },
    },
    create: { method: "POST", path: "/v9.2/{path}", headers: { prefer: "return=representation" } },
    update: { method: "PATCH", path: "/v9.2/{path}({id})", headers: { "if-match": "*" }, empty: true },
    delete: { method: "DELETE", path: "/v9.2/{path}({id})" },
    get: { path: "/v9.2/{path}({id})" },
  },
  objects: {
    contacts: { idPath: "contactid", example: { firstname: "Ada" } },
    accounts: { idPath: "accountid", example: { name: "Quill Ltd" } },
    leads: { idPath: "leadid", example: { subject: "Pens" } },
    opportunities: { idPath: "opportunityid", example: { name: "Pens" } },
    incidents: { idPath: "incidentid", example: { title: "Printer" } },
    tasks: { idPath: "activityid", example: { subject: "Call Ada" } },
    phonecalls: { idPath: "activityid", example: { subject: "Called Ada" } },
  },
  errors: { message: ["error.message"], code: "error.code", statuses: { "412": "not_found" } },
  sources: {
    documentation: "https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/overview",
    checked: "2026-11-22, documentation only",
  },
};
