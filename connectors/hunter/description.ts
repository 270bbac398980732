/** Hunter's leads. Records do not tell when they changed; a rate limit has the status 403. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { queryKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = queryKey("Hunter", "https://api.hunter.io", "api_key", {
  docs: "https://hunter.io/api-documentation#authentication",
  declares: ["read", "write", "delete", "search"],
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/v2/{path}", pageSize: { to: "query.limit", most: 1000 } },
    records: "data.leads",
    total: "meta.total",
    paging: { offset: { to: "query.offset" }, depth: { records: 100_000 } },
    create: { method: "POST", path: "/v2/{path}" },
    update: { method: "PUT", path: "/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: { leads: { example: { email: "ada@example.com", first_name: "Ada" } } },
  errors: {
    message: ["errors.*.details"],
    code: "errors.0.id",
    statuses: { "403": "rate_limited" },
  },
  sources: {
    documentation: "https://hunter.io/api-documentation/v2",
    checked:
      "2026-11-29, Hunter’s page: statuses, errors; an OpenAPI description of 2026-08 by others: lists; their order from its page, as six clients quote it; updates by PUT from Hunter’s own server of 2026-08, where that description says PATCH",
  },
};
