/** NetSuite's records by the REST API: lists have only ids, writes answer without a body. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

const records = "/services/rest/record/v1/{path}";

/** Without the parameter the lines of a transaction are a link. */
const withLines = { get: { path: `${records}/{id}?expandSubResources=true` } };

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
    get: { path: `${records}/{id}` },
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
    opportunity: { ...withLines, example: { title: "Pens" } },
    salesOrder: { ...withLines, example: { entity: { id: "647" } } },
    purchaseOrder: { ...withLines, example: { entity: { id: "648" } } },
    invoice: { ...withLines, example: { entity: { id: "647" } } },
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
    code: "o:errorDetails.0.o:errorCode",
    furtherCode: "o:errorCode",
  },
  limits: { waitSeconds: 5 },
  sources: {
    documentation: "https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545141395.html",
    checked:
      "2026-11-27, documentation and REST API Browser 2026.1, by facts.json: pages, writes, errors; lists are in no order that anybody promises: so a record can be missed while others are added or deleted; not checked: the time of change of vendors, opportunities, purchase orders, invoices and items. Every record of a list costs a call; SuiteQL, which costs fewer but names fields in other words, goes through the proxy",
  },
};
