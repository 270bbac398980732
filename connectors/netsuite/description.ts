/** NetSuite's records by the REST API: lists have only ids, writes answer without a body. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Netsuite", "https://{{.workspace}}.suitetalk.api.netsuite.com", {
  authorize: "https://{{.workspace}}.app.netsuite.com/app/login/oauth2/authorize.nl",
  token: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token",
  tokenAuth: "basic",
  needsScopes: true,
  oauth: {
    explicitWorkspaceRequired: true,
    docsURL:
      "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157771733782.html#procedure_157838925981",
  },
  declares: ["read", "write", "delete", "search"],
  defaultModule: "restapi",
  inputs: [
    {
      name: "workspace",
      displayName: "Netsuite URL Prefix",
      prompt: "The account in your NetSuite address: 1234567-sb1 in 1234567-sb1.app.netsuite.com.",
      docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1498251763.html",
    },
    {
      name: "scriptId",
      displayName: "RESTlet Script ID",
      prompt: "The number after script= in the external URL of your RESTlet deployment.",
      docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_4618456517.html",
      moduleDependencies: { restlet: {} },
    },
    {
      name: "deployId",
      displayName: "RESTlet Deploy ID",
      prompt: "The number after deploy= in the external URL of your RESTlet deployment.",
      docsURL: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_4618456517.html",
      moduleDependencies: { restlet: {} },
    },
  ],
  modules: {
    restapi: {
      displayName: "Netsuite (REST API)",
      baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/record",
      support: supports("read", "write", "delete", "search", "proxy"),
    },
    restlet: {
      displayName: "Netsuite (RESTlet)",
      baseURL: "https://{{.workspace}}.restlets.api.netsuite.com",
      support: supports("read", "write", "proxy", "search"),
    },
    suiteql: {
      displayName: "Netsuite (SuiteQL)",
      baseURL: "https://{{.workspace}}.suitetalk.api.netsuite.com/services/rest/query",
      support: supports("read", "proxy"),
    },
  },
});

const records = "/services/rest/record/v1/{path}";

export const description: Description = {
  module: "restapi",
  defaults: {
    list: { path: records, pageSize: { to: "query.limit", most: 100 } },
    records: "items",
    readEach: true,
    total: "totalResults",
    paging: { offset: { to: "query.offset", multiples: true }, depth: { pages: 1000 } },
    // Lists compare times by the date format of the user, so they are compared here.
    changedPath: "lastModifiedDate",
    create: { method: "POST", path: records, id: "header.Location" },
    update: { method: "PATCH", path: `${records}/{id}` },
    upsert: {
      method: "PUT",
      path: `${records}/eid:{value}`,
      keys: ["externalId"],
      id: "header.Location",
      empty: true,
    },
    delete: { method: "DELETE", path: `${records}/{id}` },
    // Without the parameter sublists and subrecords are links: lines of a transaction, addresses, prices.
    get: { path: `${records}/{id}?expandSubResources=true` },
    metadata: {
      list: {
        path: "/services/rest/record/v1/metadata-catalog/{path}",
        headers: { accept: "application/schema+json" },
        records: "properties",
        keyed: true,
        name: "name",
        label: "title",
        type: "type",
        types: { string: "string", integer: "int", number: "float", boolean: "boolean" },
        custom: { paths: ["x-ns-custom-field"], is: ["true"] },
        skip: [{ paths: ["name"], is: ["links"] }],
      },
    },
  },
  objects: {
    customer: { example: { companyName: "Quill Ltd", subsidiary: { id: "1" } } },
    contact: { example: { entityId: "Ada Quill", subsidiary: { id: "1" } } },
    vendor: { example: { companyName: "Quill Ltd" } },
    employee: { example: { firstName: "Ada" } },
    opportunity: { example: { title: "Pens" } },
    salesOrder: { example: { entity: { id: "647" } } },
    purchaseOrder: { example: { entity: { id: "648" } } },
    invoice: { example: { entity: { id: "647" } } },
    inventoryItem: { example: { itemId: "Pen" } },
    task: { example: { title: "Call Ada" } },
  },
  others: {
    pattern: "customrecord[a-z0-9_]{1,60}",
    like: "customrecord_pens",
    rules: { example: { name: "Pen" } },
  },
  errors: {
    message: ["o:errorDetails.*.detail", "title"],
    marks: ["o:errorDetails", "o:errorCode"],
    code: "o:errorDetails.0.o:errorCode",
    furtherCode: "o:errorCode",
  },
  limits: { waitSeconds: 5 },
  sources: {
    documentation: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545141395.html",
    checked:
      "2026-11-27, documentation and REST API Browser 2026.1, by facts.json: pages, writes, errors; lists are in no order that anybody promises: so a record can be missed while others are added or deleted; not checked: whether a role that may not see a sublist of a record gets the rest of it; the time of change of vendors, opportunities, purchase orders, invoices and items. Every record of a list costs a call; SuiteQL, which costs fewer but names fields in other words, goes through the proxy",
  },
};
