/** Capsule's objects. An update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/described/description.ts";

const changed = { to: "query.since", format: "rfc3339-seconds" as const };

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/v2/{path}", pageSize: { to: "query.perPage", most: 100 } },
    records: "{path}",
    paging: { link: true },
    changedPath: "updatedAt",
    since: {},
    create: { method: "POST", path: "/v2/{path}", wrap: { in: "{singular}" } },
    update: { method: "PUT", path: "/v2/{path}/{id}", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    parties: { singular: "party", since: changed, example: { type: "person", firstName: "Ada" } },
    opportunities: { singular: "opportunity", since: changed, example: { name: "Pens" } },
    kases: { singular: "kase", since: changed, example: { name: "Move" } },
    tasks: { singular: "task", example: { description: "Call Ada" } },
  },
  errors: { message: ["errors.*.message", "message"] },
  limits: { reset: "x-ratelimit-reset" },
  sources: { documentation: "https://developer.capsulecrm.com", checked: "2026-11-22, documentation only" },
};
