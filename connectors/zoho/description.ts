/** Zoho CRM's modules, those of the account included. Every write answers with a result for each record, also in a success. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { defineProvider, supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = defineProvider({
  displayName: "Zoho",
  authType: "oauth2",
  baseURL: "https://{{.zoho_api_domain}}",
  hostSuffixes: [
    ".zohoapis.com",
    ".zohoapis.eu",
    ".zohoapis.in",
    ".zohoapis.com.au",
    ".zohoapis.jp",
    ".zohoapis.ca",
    ".zohoapis.sa",
    ".zohoapis.com.cn",
    "accounts.zoho.com",
    "accounts.zoho.eu",
    "accounts.zoho.in",
    "accounts.zoho.com.au",
    "accounts.zoho.jp",
    "accounts.zoho.sa",
    "accounts.zoho.com.cn",
    "accounts.zohocloud.ca",
    ".zoho.com",
    ".zoho.eu",
    ".zoho.in",
    ".zoho.com.au",
    ".zoho.jp",
    ".zoho.sa",
    ".zoho.com.cn",
    ".zohocloud.ca",
    "sdpondemand.manageengine.com",
    "sdpondemand.manageengine.eu",
    "sdpondemand.manageengine.in",
  ],
  defaultModule: "crm",
  support: supports("read", "write", "proxy", "subscribe", "delete", "search"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://{{.zoho_token_domain}}/oauth/v2/auth",
    authURLParams: { access_type: "offline" },
    tokenURL: "https://{{.zoho_token_domain}}/oauth/v2/token",
    explicitScopesRequired: true,
    tokenMetadataFields: {
      workspaceRefField: "api_domain",
      scopesField: "scope",
      otherFields: [
        {
          name: "zoho_api_domain",
          displayName: "API domain",
          path: "api_domain",
          capture: "^https://(?<result>[^/]+)",
        },
      ],
    },
  },
  metadata: {
    // Decides every host, and only the customer knows it before sign-in. Hosts: general knowledge.
    input: [
      {
        name: "zoho_token_domain",
        displayName: "Sign-in host",
        prompt: "The host you sign in at: accounts.zoho.com, accounts.zoho.eu, accounts.zoho.in, …",
        defaultValue: "accounts.zoho.com",
      },
      {
        name: "zoho_desk_domain",
        displayName: "Desk host",
        prompt: "The host of Zoho Desk: desk.zoho.com, desk.zoho.eu, desk.zoho.in, …",
        defaultValue: "desk.zoho.com",
        moduleDependencies: { desk: {} },
      },
      {
        name: "zoho_mail_domain",
        displayName: "Mail host",
        prompt: "The host of Zoho Mail: mail.zoho.com, mail.zoho.eu, mail.zoho.in, …",
        defaultValue: "mail.zoho.com",
        moduleDependencies: { mail: {} },
      },
      {
        name: "zoho_servicedeskplus_domain",
        displayName: "ServiceDesk Plus host",
        prompt: "The host of ServiceDesk Plus: sdpondemand.manageengine.com, sdpondemand.manageengine.eu, …",
        defaultValue: "sdpondemand.manageengine.com",
        moduleDependencies: { servicedeskplus: {} },
      },
    ],
  },
  modules: {
    bugtracker: {
      displayName: "Zoho BugTracker",
      baseURL: "https://bugtracker.zoho.com",
      support: supports(),
    },
    crm: {
      displayName: "Zoho CRM",
      baseURL: "https://{{.zoho_api_domain}}",
      support: supports("read", "write", "subscribe", "delete", "search"),
    },
    desk: {
      displayName: "Zoho Desk",
      baseURL: "https://{{.zoho_desk_domain}}",
      support: supports("read", "write"),
    },
    mail: {
      displayName: "Zoho Mail",
      baseURL: "https://{{.zoho_mail_domain}}",
      support: supports("read", "write", "subscribe"),
    },
    projects: {
      displayName: "Zoho Projects",
      baseURL: "https://projectsapi.zoho.com",
      support: supports(),
    },
    servicedeskplus: {
      displayName: "Zoho ServiceDesk Plus",
      baseURL: "https://{{.zoho_servicedeskplus_domain}}",
      support: supports(),
    },
  },
});

const path = "/crm/v6/{path}";
const wrap = { listAt: "data" };
const id = "data.0.details.id";
const list = {
  path,
  most: 100,
  to: "data",
  answers: "data",
  okWhen: "status=success",
  id: "details.id",
  message: ["message"],
  code: "code",
};
const batch: ObjectRules["batch"] = {
  create: { method: "POST", ...list },
  update: { method: "PUT", ...list, idTo: "id" },
};
/** One request creates the record, or updates the one whose field has the same value. */
const upsertBy = (key: string, example: ObjectRules["example"]): ObjectRules => ({
  upsert: {
    method: "POST",
    path: `${path}/upsert`,
    wrap,
    id,
    keys: [key],
    keyNameTo: "body.duplicate_check_fields",
    keyNameList: true,
  },
  batch: { ...batch, upsert: { method: "POST", ...list, path: `${path}/upsert` } },
  example,
});

const pageSize = { to: "query.per_page", most: 200 };

/** Records that wait for approval are left out by default. */
const query = { sort_by: "Modified_Time", sort_order: "asc", approved: "both" };

/** Leads that were converted are left out by default, and would seem to be deleted. */
const leads: ObjectRules = {
  list: { path, query: { ...query, converted: "both" }, pageSize },
  get: { path: `${path}/{id}?approved=both&converted=both`, record: "data.0" },
};

/** Records in the recycle bin and those that were deleted for good; not for notes (Get List of Deleted Records, version 7). */
const bin: ObjectRules["furtherLists"] = [
  {
    list: { path: `${path}/deleted`, query: { type: "all" }, pageSize },
    paging: { page: { to: "query.page", first: 1, anySize: true, more: "info.more_records" } },
    changedPath: "deleted_time",
    deleted: true,
  },
];

export const description: Description = {
  module: "crm",
  ids: { pattern: "[0-9]{1,30}" },
  defaults: {
    // "You can include a maximum of 50 field API names in this parameter"; `ids` names no largest number.
    select: { to: "query.fields", most: 50, ids: { to: "query.ids", most: 100 } },
    // A list ends after 100,000 records: the next request begins at the time of the last one.
    list: { path, query, pageSize },
    furtherLists: bin,
    records: "data",
    paging: { cursor: { from: "info.next_page_token", to: "query.page_token", more: "info.more_records" } },
    changedPath: "Modified_Time",
    // Without changes the answer is 304, and without records 204. Whether it has what changed exactly then is not told.
    since: {
      to: "header.If-Modified-Since",
      format: "rfc3339-seconds",
      full: "1970-01-01T00:00:00Z",
      keyset: true,
      exclusive: true,
    },
    create: { method: "POST", path, wrap, id },
    update: { method: "PUT", path: `${path}/{id}`, wrap, id },
    delete: { method: "DELETE", path: `${path}/{id}` },
    get: { path: `${path}/{id}?approved=both`, record: "data.0" },
    written: { okWhen: "data.0.status=success", message: ["data.0.message"], code: "data.0.code" },
    batch,
    metadata: {
      list: {
        path: "/crm/v6/settings/fields",
        query: { module: "{path}" },
        records: "fields",
        name: "api_name",
        label: "field_label",
        type: "data_type",
        types: {
          text: "string",
          textarea: "string",
          email: "string",
          phone: "string",
          website: "string",
          autonumber: "string",
          picklist: "singleSelect",
          multiselectpicklist: "multiSelect",
          date: "date",
          datetime: "datetime",
          boolean: "boolean",
          integer: "int",
          bigint: "int",
          double: "float",
          currency: "float",
          lookup: "reference",
          ownerlookup: "reference",
        },
        custom: { paths: ["custom_field"], is: ["true"] },
        readOnly: { paths: ["field_read_only"], is: ["true"] },
        required: { paths: ["system_mandatory"], is: ["true"] },
        options: { at: "pick_list_values", value: "actual_value", label: "display_value" },
        refersTo: "lookup.module.api_name",
      },
    },
  },
  objects: {
    Leads: { ...leads, ...upsertBy("Email", { Last_Name: "Quill" }) },
    Contacts: upsertBy("Email", { Last_Name: "Quill" }),
    Accounts: upsertBy("Account_Name", { Account_Name: "Quill Ltd" }),
    Deals: upsertBy("Deal_Name", { Deal_Name: "Pens", Stage: "Qualification" }),
    Products: upsertBy("Product_Name", { Product_Name: "Pen" }),
    Tasks: { example: { Subject: "Call Ada" } },
    Events: { example: { Event_Title: "Demo" } },
    Calls: { example: { Subject: "Pens" } },
    Campaigns: upsertBy("Campaign_Name", { Campaign_Name: "Ink" }),
    Vendors: upsertBy("Vendor_Name", { Vendor_Name: "Quill Ltd" }),
    Cases: upsertBy("Subject", { Subject: "Ink leaks" }),
    // The only list without page tokens.
    Notes: {
      list: { path, query: { sort_by: "id", sort_order: "asc" }, pageSize },
      furtherLists: [],
      since: { to: "header.If-Modified-Since", format: "rfc3339-seconds" },
      paging: { page: { to: "query.page", first: 1, anySize: true, more: "info.more_records" } },
      get: { path: `${path}/{id}`, record: "data.0" },
      example: {
        Note_Title: "Pens",
        Note_Content: "Ink, too",
        Parent_Id: { module: { api_name: "Leads" }, id: "3652397000001970045" },
      },
    },
  },
  others: { pattern: "[A-Z][A-Za-z0-9_]{1,60}", like: "Fountain_Pens", rules: { example: { Name: "Pen" } } },
  errors: {
    message: ["message", "data.*.message"],
    marks: ["code", "data"],
    code: "code",
    furtherCode: "data.0.code",
    codes: {
      INVALID_TOKEN: "unauthorized",
      AUTHENTICATION_FAILURE: "unauthorized",
      OAUTH_SCOPE_MISMATCH: "forbidden",
      NO_PERMISSION: "forbidden",
      DUPLICATE_DATA: "conflict",
      TOO_MANY_REQUESTS: "rate_limited",
    },
    texts: {
      "the id given seems to be invalid": "not_found",
      "record not deleted": "not_found",
      "the given id seems to be invalid": "not_found",
      "There is no data for the ID specified": "not_found",
    },
  },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://www.zoho.com/crm/developer/docs/api/v6/",
    checked:
      "2026-11-28, Zoho's SDK of version 6, OpenAPI file of version 8 and pages of versions 6 to 8: all but the header of limits and metadata of fields; clients for what waits for approval. Lists cut rich text after 500 characters and leave subforms out; a single record has both",
  },
};
