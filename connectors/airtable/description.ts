/** Airtable's tables: an object is named by the ids of base and table. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Airtable", "https://api.airtable.com", {
  grant: "authorizationCodePKCE",
  authorize: "https://airtable.com/oauth2/v1/authorize",
  token: "https://airtable.com/oauth2/v1/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search", batchWrite(10)],
  authHealthCheck: { url: "https://api.airtable.com/v0/meta/whoami" },
});

export const description: Description = {
  ids: { pattern: "rec[A-Za-z0-9]{14}" },
  defaults: {},
  objects: {},
  others: {
    pattern: "app[A-Za-z0-9]{14}/tbl[A-Za-z0-9]{14}",
    like: "appQuill000000001/tblPens0000000001",
    rules: {
      list: { path: "/v0/{path}", pageSize: { to: "query.pageSize", most: 100 } },
      records: "records",
      flatten: "fields",
      emptyLeftOut: true,
      paging: { cursor: { from: "offset", to: "query.offset" } },
      since: {
        to: "query.filterByFormula",
        template: "NOT(IS_BEFORE(LAST_MODIFIED_TIME(),'{since}'))",
        // Some records were seen to appear late; nobody says how late.
        overlapMinutes: 5,
        settlingMinutes: 60,
      },
      create: { method: "POST", path: "/v0/{path}", wrap: { in: "fields" } },
      update: { method: "PATCH", path: "/v0/{path}/{id}", wrap: { in: "fields" } },
      delete: { method: "DELETE", path: "/v0/{path}/{id}" },
      get: { path: "/v0/{path}/{id}" },
      batch: {
        create: {
          method: "POST",
          path: "/v0/{path}",
          most: 10,
          to: "records",
          each: "fields",
          together: true,
          answers: "records",
        },
        update: {
          method: "PATCH",
          path: "/v0/{path}",
          most: 10,
          to: "records",
          each: "fields",
          idTo: "id",
          together: true,
          answers: "records",
        },
      },
      example: { Name: "Ada Quill" },
    },
  },
  errors: { message: ["error.message", "error.type", "error"], code: "error.type" },
  limits: { perSecond: 5, waitSeconds: 30 },
  sources: {
    documentation: "https://airtable.com/developers/web/api/list-records",
    checked:
      "2026-11-28, Airtable's own client 0.12.2, its page on paging, its words on formulas in pyairtable 3.4.2; several records by documentation (2026-11-23)",
  },
};
