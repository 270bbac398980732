/** ServiceNow's tables. Times of records are UTC without a zone. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import type { MetadataRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("ServiceNow", "https://{{.workspace}}.service-now.com", {
  authorize: "https://{{.workspace}}.service-now.com/oauth_auth.do",
  token: "https://{{.workspace}}.service-now.com/oauth_token.do",
  tokenFields: { scopesField: "scope" },
  oauth: { explicitWorkspaceRequired: true },
  // Instances of the United States' Government Community Cloud have a domain of their own.
  hostSuffixes: [".service-now.com", ".servicenowservices.com"],
  declares: ["read", "write", "search", "delete", batchWrite(50)],
  inputs: [
    {
      name: "workspace",
      displayName: "Instance",
      prompt:
        "The first part of your instance address, dev1234 in dev1234.service-now.com, or the whole address if it ends otherwise, for example dev1234.servicenowservices.com.",
    },
  ],
});

/** The message of a list that takes too long, whose answer has the status 200, the records until then, and the refusal behind them. */
const BROKEN_OFF = "maximum execution time exceeded";

const pageSize = { to: "query.sysparm_limit", most: 1000, halvedBy: BROKEN_OFF };

/** The dictionary lists a table's own columns; those of the tables that it extends are listed there. */
const listDictionaryFields = (...tables: string[]): MetadataRules => ({
  list: {
    path: "/api/now/table/sys_dictionary",
    query: {
      sysparm_query: `nameIN${["{path}", ...tables].join(",")}^elementISNOTEMPTY`,
      sysparm_exclude_reference_link: "true",
      sysparm_limit: "1000",
    },
    records: "result",
    paging: { link: true },
    name: "element",
    label: "column_label",
    type: "internal_type",
    types: {
      string: "string",
      email: "string",
      url: "string",
      html: "string",
      GUID: "string",
      integer: "int",
      longint: "int",
      decimal: "float",
      float: "float",
      boolean: "boolean",
      glide_date: "date",
      glide_date_time: "datetime",
      due_date: "datetime",
      reference: "reference",
    },
    readOnly: { paths: ["read_only"], is: ["true"] },
    required: { paths: ["mandatory"], is: ["true"] },
    refersTo: "reference",
  },
});

/**
 * Deletions of tables by the names of the deleted records' own tables: a deleted server of `cmdb_ci` is one of `cmdb_ci_server`, and one of a
 * class that the customer made is of `u_cmdb_ci_laptop`. Tables whose deletions are not audited are not there. Only administrators may read
 * it by default.
 */
const readAuditedDeletions = (tables: string): ObjectRules["furtherLists"] => [
  {
    list: {
      path: "/api/now/table/sys_audit_delete",
      query: {
        sysparm_fields: "documentkey,tablename,sys_created_on",
        sysparm_query: `${tables}{changed}^ORDERBYsys_created_on^ORDERBYsys_id`,
      },
      // The address of a next page has the number of entries before it, in `sysparm_offset`.
      pageSize: { ...pageSize, inAddress: true },
    },
    paging: { link: true },
    idPath: "documentkey",
    changedPath: "sys_created_on",
    // Before the release Xanadu, entries were written behind the transaction.
    since: {
      to: "fill.changed",
      template: "^sys_created_on>={since}",
      format: "sql",
      zone: "user",
      overlapMinutes: 60,
    },
    deleted: true,
    mayBeForbidden: true,
  },
];

export const description: Description = {
  ids: { pattern: "[0-9a-f]{32}" },
  defaults: {
    list: {
      path: "/api/now/table/{path}",
      // Without an order it may change from page to page; one by the time of change moves records during a read.
      query: {
        sysparm_exclude_reference_link: "true",
        sysparm_query: "{changed}ORDERBYsys_created_on^ORDERBYsys_id",
      },
      pageSize,
    },
    furtherLists: readAuditedDeletions("tablename={path}"),
    records: "result",
    paging: { offset: { to: "query.sysparm_offset", next: "header.Link" } },
    idPath: "sys_id",
    changedPath: "sys_updated_on",
    // Bounds are read in the zone of the connected user.
    since: {
      to: "fill.changed",
      template: "sys_updated_on>={since}^",
      format: "sql",
      zone: "user",
    },
    create: { method: "POST", path: "/api/now/table/{path}" },
    update: { method: "PATCH", path: "/api/now/table/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/now/table/{path}/{id}" },
    get: { path: "/api/now/table/{path}/{id}", record: "result" },
    record: "result",
    batch: {
      requests: {
        path: "/api/now/v1/batch",
        most: 50,
        to: "rest_requests",
        also: { batch_request_id: "busbar" },
        base64: true,
        answers: "serviced_requests",
        status: "status_code",
        unserved: "unserviced_requests",
      },
    },
    metadata: listDictionaryFields(),
  },
  objects: {
    incident: { metadata: listDictionaryFields("task"), example: { short_description: "Printer" } },
    problem: { metadata: listDictionaryFields("task"), example: { short_description: "Printers" } },
    change_request: {
      metadata: listDictionaryFields("task"),
      example: { short_description: "New printers" },
    },
    // Tasks have tables of many names, which nothing tells.
    task: { furtherLists: [], example: { short_description: "Call Ada" } },
    sys_user: { example: { user_name: "ada" } },
    core_company: { example: { name: "Quill Ltd" } },
    cmdb_ci: {
      // The name may have anything before it: the scope of an application, as in ServiceNow's own `sn_agent_cmdb_ci_agent`, or a customer's `u_`.
      furtherLists: readAuditedDeletions("tablenameLIKEcmdb_ci"),
      metadata: listDictionaryFields("cmdb"),
      example: { name: "printer-7" },
    },
  },
  errors: {
    refusedBy: "error",
    message: ["error.detail", "error.message"],
    texts: { [BROKEN_OFF]: "unknown_outcome" },
  },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation:
      "https://www.servicenow.com/docs/bundle/api-reference/page/integrate/inbound-rest/concept/c_TableAPI.html",
    checked:
      "2026-11-28, ServiceNow’s documentation of the release Australia (Table API, Batch API, rate limits, archiving, deleted records), and other connectors for the zone of bounds and the columns of `sys_audit_delete`; ServiceNow’s own pages name no zone and no largest page; its client for Python for lists that break off. Deletions are read from `sys_audit_delete`: the connected user needs a role that may read it, by default `admin`",
  },
};
