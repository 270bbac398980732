/** Pylon's accounts and contacts. Issues are listed by windows of 30 days, which a description cannot say. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "data",
    paging: { cursor: { from: "pagination.cursor", to: "query.cursor" } },
    changedPath: "updated_at",
    create: { method: "POST", path: "/{path}" },
    update: { method: "PATCH", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    accounts: { example: { name: "Quill Ltd" } },
    contacts: { example: { name: "Ada Quill", email: "ada@example.com" } },
  },
  errors: { message: ["errors.*"] },
  sources: {
    documentation: "https://docs.usepylon.com/pylon-docs/developer/api/api-reference",
    checked: "2026-11-26, an OpenAPI description by others of August 2026: all but errors",
  },
};
