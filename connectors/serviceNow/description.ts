/** ServiceNow's tables. Times of records are UTC without a zone. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { pattern: "[0-9a-f]{32}" },
  defaults: {
    list: {
      path: "/api/now/table/{path}",
      query: { sysparm_exclude_reference_link: "true" },
      pageSize: { to: "query.sysparm_limit", most: 1000 },
    },
    records: "result",
    paging: { link: true },
    idPath: "sys_id",
    changedPath: "sys_updated_on",
    since: {
      to: "query.sysparm_query",
      template: "sys_updated_on>={since}^ORDERBYsys_updated_on",
      format: "sql",
    },
    create: { method: "POST", path: "/api/now/table/{path}" },
    update: { method: "PATCH", path: "/api/now/table/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/now/table/{path}/{id}" },
    get: { path: "/api/now/table/{path}/{id}", record: "result" },
    record: "result",
  },
  objects: {
    incident: { example: { short_description: "Printer" } },
    problem: { example: { short_description: "Printers" } },
    change_request: { example: { short_description: "New printers" } },
    task: { example: { short_description: "Call Ada" } },
    sys_user: { example: { user_name: "ada" } },
    core_company: { example: { name: "Quill Ltd" } },
    cmdb_ci: { example: { name: "printer-7" } },
  },
  errors: { message: ["error.detail", "error.message"] },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation:
      "https://www.servicenow.com/docs/bundle/api-reference/page/integrate/inbound-rest/concept/c_TableAPI.html",
    checked: "2026-11-22, documentation only",
  },
};
