/** Pylon's accounts and contacts. Issues are listed by windows of 30 days, which a description cannot say. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Pylon", "https://{{.subdomain}}.usepylon.com", {
  docs: "https://docs.usepylon.com/pylon-docs/developer/api",
  declares: ["read", "write", "delete", "search"],
  authHealthCheck: { url: "https://{{.subdomain}}.usepylon.com/me" },
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your region: api (United States) or api.eu (Europe).",
      defaultValue: "api",
    },
  ],
});

export const description: Description = {
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.limit", most: 999 } },
    records: "data",
    paging: { cursor: { from: "pagination.cursor", to: "query.cursor" } },
    create: { method: "POST", path: "/{path}" },
    update: { method: "PATCH", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    accounts: { changedPath: "updated_at", example: { name: "Quill Ltd" } },
    // Contacts have no time of the last change.
    contacts: { example: { name: "Ada Quill", email: "ada@example.com" } },
  },
  errors: { message: ["errors.*"], code: "code" },
  sources: {
    documentation: "https://docs.usepylon.com/pylon-docs/developer/api/api-reference",
    checked:
      "2026-11-28, Pylon's pages of conventions and rate limits, a client generated from Pylon's OpenAPI file of July 2026, another project for regions and errors; deletions are not told",
  },
};
