/** Salesloft's objects. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Salesloft", "https://api.salesloft.com", {
  authorize: "https://accounts.salesloft.com/oauth/authorize",
  token: "https://accounts.salesloft.com/oauth/token",
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "subscribe", "delete", "search"],
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    // Salesloft's own guide goes on by the time of the last record: pages behind the 500th cost a twentieth of a minute's calls, or fail.
    list: {
      path: "/v2/{path}.json",
      query: { sort_by: "updated_at", sort_direction: "ASC" },
      pageSize: { to: "query.per_page", most: 100 },
    },
    records: "data",
    paging: { page: { to: "query.page", first: 1, anySize: true, more: "metadata.paging.next_page" } },
    changedPath: "updated_at",
    since: { to: "query.updated_at[gte]", full: "1970-01-01T00:00:00Z", keyset: true },
    create: { method: "POST", path: "/v2/{path}.json" },
    update: { method: "PUT", path: "/v2/{path}/{id}.json" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}.json" },
    get: { path: "/v2/{path}/{id}.json", record: "data" },
    record: "data",
  },
  objects: {
    people: { example: { email_address: "ada@example.com", first_name: "Ada" } },
    accounts: {
      update: { method: "PUT", path: "/v2/{path}/{id}.json", repeats: ["name", "domain"] },
      example: { name: "Quill Ltd", domain: "quill.example" },
    },
    notes: {
      update: { method: "PUT", path: "/v2/{path}/{id}.json", repeats: ["content"] },
      example: { content: "Asked for pens", associated_with_type: "person", associated_with_id: 1 },
    },
    // Tasks can be sorted by their due date only. How one is deleted is in no source.
    tasks: {
      modes: ["read", "create", "update"],
      list: { path: "/v2/{path}.json", pageSize: { to: "query.per_page", most: 100 } },
      since: { to: "query.updated_at[gte]" },
      example: { subject: "Call Ada" },
    },
  },
  errors: { message: ["errors.*.*", "error"], marks: ["errors", "status"] },
  sources: {
    documentation: "https://developers.salesloft.com/docs/api",
    checked:
      "2026-11-28, Salesloft’s OpenAPI file in copies of 2019 and of 2025-02, and parts of its pages and its collection in copies of 2026-08 (paging, limits, changes of tasks)",
  },
};
