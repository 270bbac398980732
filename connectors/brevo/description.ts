/** Brevo's contacts, companies, deals and lists. Creates answer with the id only; contacts are updated by PUT, the others by PATCH. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Brevo", "https://api.brevo.com", "api-key", {
  docs: "https://developers.brevo.com/docs/getting-started",
  declares: ["read", "write", "delete", "search"],
});

/** The newest come first by default, and new ones move what was read to later pages. */
const OLDEST_FIRST = { sort: "asc" };

export const description: Description = {
  ids: { pattern: "[0-9a-f]{1,64}" },
  defaults: {
    paging: { offset: { to: "query.offset" } },
    create: { method: "POST", path: "/v3/{path}", id: "id" },
    update: { method: "PATCH", path: "/v3/{path}/{id}" },
    delete: { method: "DELETE", path: "/v3/{path}/{id}" },
    get: { path: "/v3/{path}/{id}" },
  },
  objects: {
    lists: {
      path: "contacts/lists",
      list: { path: "/v3/{path}", query: OLDEST_FIRST, pageSize: { to: "query.limit", most: 50 } },
      records: "lists",
      total: "count",
      update: { method: "PUT", path: "/v3/{path}/{id}" },
      example: { name: "News", folderId: 1 },
    },
    contacts: {
      list: {
        path: "/v3/contacts",
        query: OLDEST_FIRST,
        pageSize: { to: "query.limit", most: 1000 },
      },
      records: "contacts",
      total: "count",
      changedPath: "modifiedAt",
      since: { to: "query.modifiedSince" },
      update: { method: "PUT", path: "/v3/contacts/{id}" },
      example: { email: "ada@example.com", attributes: { FIRSTNAME: "Ada" } },
    },
    companies: {
      list: { path: "/v3/companies", query: OLDEST_FIRST, pageSize: { to: "query.limit", most: 50 } },
      records: "items",
      paging: { page: { to: "query.page", first: 1, anySize: true } },
      changedPath: "attributes.last_updated_at",
      since: { to: "query.modifiedSince" },
      example: { name: "Quill Ltd" },
    },
    deals: {
      path: "crm/deals",
      list: { path: "/v3/{path}", query: OLDEST_FIRST },
      records: "items",
      changedPath: "attributes.last_updated_date",
      since: { to: "query.modifiedSince" },
      example: { name: "Pens" },
    },
  },
  errors: { message: ["message"], marks: ["code"], code: "code" },
  limits: { reset: "x-sib-ratelimit-reset" },
  sources: {
    documentation: "https://developers.brevo.com/reference",
    checked:
      "2026-11-29, reference: lists of contacts, companies and deals, bounds; Brevo's clients of 2025-09 and 2026-08: writes, lists of lists, errors; that the first page of companies is 1 is from their examples and another connector",
  },
};
