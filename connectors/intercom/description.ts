/** Intercom's objects. Lists know no bound of time: the records are compared here. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import type { MetadataRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Intercom", "https://{{.subdomain}}.intercom.io", {
  authorize: "https://app.intercom.com/oauth",
  token: "https://api.intercom.io/auth/eagle/token",
  tokenAuth: "body",
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Intercom-Version", valueTemplate: "2.11" }],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your region: api (United States), api.eu (Europe) or api.au (Australia).",
      defaultValue: "api",
    },
  ],
});

const metadata: MetadataRules = {
  list: {
    path: "/data_attributes",
    query: { model: "{singular}" },
    records: "data",
    skip: [{ paths: ["archived"], is: ["true"] }],
    name: "full_name",
    nameHasDots: true,
    label: "label",
    explanation: "description",
    type: "data_type",
    types: { string: "string", integer: "int", float: "float", boolean: "boolean", date: "datetime" },
    custom: { paths: ["custom"], is: ["true"] },
    readOnly: { paths: ["api_writable"], is: ["false"] },
    options: { at: "options" },
  },
};

/**
 * A search for everything, in the order of creation: what changes meanwhile keeps its place. The lists by GET are in the order of
 * activity, newest first, so that a record that moves to the front is missed behind a cursor, or counts as missing.
 */
const searched: ObjectRules = {
  list: {
    method: "POST",
    path: "/{path}/search",
    body: {
      query: { field: "created_at", operator: ">", value: "0" },
      sort: { field: "created_at", order: "ascending" },
    },
    pageSize: { to: "body.pagination.per_page", most: 150 },
  },
  paging: { cursor: { from: "pages.next.starting_after", to: "body.pagination.starting_after" } },
};

const unpaged: ObjectRules = {
  modes: ["read"],
  list: { path: "/{path}" },
  paging: { none: true },
};

/** Their answers can have pages, which is rare. */
const seldomPaged: ObjectRules = { ...unpaged, paging: { nextUrl: { from: "pages.next" } } };

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9]{1,64}" },
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.per_page", most: 150 } },
    records: "data",
    total: "total_count",
    changedPath: "updated_at",
    create: { method: "POST", path: "/{path}" },
    update: { method: "PUT", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: {
      singular: "contact",
      metadata,
      ...searched,
      // A new contact can take "a few minutes" until a search has it.
      since: { overlapMinutes: 15 },
      example: { role: "user", email: "ada@example.com" },
    },
    companies: {
      singular: "company",
      metadata,
      // Pages by number end at 10,000 companies and follow the last request, which moves. A scroll ends with an empty page.
      list: { path: "/{path}/scroll" },
      paging: { cursor: { from: "scroll_param", to: "query.scroll_param", scroll: true } },
      // A create is an upsert as well: Intercom has one request for both.
      upsert: { method: "POST", path: "/{path}", keys: ["company_id"] },
      example: { company_id: "quill", name: "Quill Ltd" },
    },
    articles: {
      // "Articles will be returned in descending order on the `updated_at` attribute", and there is no parameter for another order.
      paging: { page: { to: "query.page", first: 1, anySize: true, more: "pages.next" }, newestFirst: true },
      example: { title: "Pens", author_id: 1 },
    },
    tags: { ...seldomPaged, modes: ["read", "create", "delete"], example: { name: "vip" } },
    admins: {
      ...unpaged,
      list: { path: "/{path}", query: { display_avatar: "true" } },
      records: "admins",
    },
    teams: { ...unpaged, records: "teams" },
    segments: {
      ...seldomPaged,
      list: { path: "/{path}", query: { include_count: "true" } },
      records: "segments",
      // The list has segments of contacts only otherwise.
      furtherLists: [{ query: { type: "company" } }],
    },
    conversations: {
      records: "conversations",
      modes: ["read", "update"],
      ...searched,
      example: { custom_attributes: { plan: "pro" } },
    },
  },
  errors: {
    message: ["errors.*.message"],
    code: "errors.0.code",
    // An app has one scroll at a time, which ends after a minute without a request.
    texts: { "scroll already exists": "unavailable" },
  },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developers.intercom.com/docs/references/rest-api/api.intercom.io",
    checked:
      "2026-11-28, Intercom's OpenAPI files 2.11 and 2.16 of 2026-08-21, its page about the order of searches, recorded answers of another project. A search of conversations has conversations without their parts; one by its id has the 500 newest",
  },
};
