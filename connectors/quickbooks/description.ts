/** QuickBooks Online's lists and transactions: lists are queries, and every write repeats the record's version. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** The callback names the company, which is part of every path. */
export const provider = oauth2("QuickBooks", "https://quickbooks.api.intuit.com", {
  authorize: "https://appcenter.intuit.com/connect/oauth2",
  token: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
  tokenAuth: "basic",
  needsScopes: true,
  oauth: { callbackFields: [{ name: "realmId", displayName: "Company ID" }] },
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/json" }],
});

/**
 * Queries never have deleted records; the change data capture has them beside all others that changed in the last 30 days, without pages.
 * Customers, for example, are deleted when they are merged.
 */
const furtherLists: ObjectRules["furtherLists"] = [
  {
    list: { path: "/v3/company/{connection.realmId}/cdc", query: { entities: "{singular}" } },
    records: "CDCResponse.0.QueryResponse.0.{singular}",
    paging: { none: true },
    since: { to: "query.changedSince", format: "rfc3339-seconds", oldestDays: 30 },
    deleted: true,
    where: { at: "status", is: "Deleted" },
    most: 1000,
  },
];

const queryPath = "/v3/company/{connection.realmId}/query";
const pageSize = { to: "fill.size", most: 1000 };
const since = { to: "fill.changed", format: "rfc3339-seconds" as const };
const readBefore = { from: "SyncToken", to: "body.SyncToken" };

const select = "select * from {singular}";
const page = " orderby Id startposition {start} maxresults {size}";

/** Entries of lists are made inactive instead of deleted; a query without a condition leaves the inactive ones out. */
const describeEntry = (singular: string, example: ObjectRules["example"]): ObjectRules => ({
  singular,
  list: {
    path: queryPath,
    query: { query: `${select} where Active in (true, false){changed}${page}` },
    pageSize,
  },
  since: { ...since, template: " and MetaData.LastUpdatedTime >= '{since}'" },
  example,
});

/** Only transactions can be deleted. */
const describeTransaction = (singular: string, example: ObjectRules["example"]): ObjectRules => ({
  path: singular.toLowerCase(),
  singular,
  modes: ["read", "create", "update", "delete"],
  example,
});

export const description: Description = {
  ids: { pattern: "[0-9]{1,20}" },
  defaults: {
    modes: ["read", "create", "update"],
    list: { path: queryPath, query: { query: `${select}{changed}${page}` }, pageSize },
    furtherLists,
    records: "QueryResponse.{singular}",
    absentWhenEmpty: true,
    paging: { offset: { to: "fill.start", first: 1 } },
    idPath: "Id",
    changedPath: "MetaData.LastUpdatedTime",
    since: { ...since, template: " where MetaData.LastUpdatedTime >= '{since}'" },
    create: {
      method: "POST",
      path: "/v3/company/{connection.realmId}/{path}",
      idempotencyKeyTo: "query.requestid",
    },
    // Without `sparse`, members that are absent are cleared.
    update: {
      method: "POST",
      path: "/v3/company/{connection.realmId}/{path}",
      idTo: "body.Id",
      also: { sparse: true },
      readBefore,
    },
    delete: {
      method: "POST",
      path: "/v3/company/{connection.realmId}/{path}?operation=delete",
      idTo: "body.Id",
      readBefore,
    },
    get: { path: "/v3/company/{connection.realmId}/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    customer: describeEntry("Customer", { DisplayName: "Quill Ltd" }),
    vendor: describeEntry("Vendor", { DisplayName: "Quill Ltd" }),
    item: describeEntry("Item", { Name: "Pen" }),
    account: describeEntry("Account", { Name: "Pens" }),
    employee: describeEntry("Employee", { GivenName: "Ada" }),
    invoice: describeTransaction("Invoice", { CustomerRef: { value: "1" } }),
    bill: describeTransaction("Bill", { VendorRef: { value: "1" } }),
    estimate: describeTransaction("Estimate", { CustomerRef: { value: "1" } }),
    payment: describeTransaction("Payment", { CustomerRef: { value: "1" } }),
    purchaseOrder: describeTransaction("PurchaseOrder", { VendorRef: { value: "1" } }),
    salesReceipt: describeTransaction("SalesReceipt", { CustomerRef: { value: "1" } }),
    creditMemo: describeTransaction("CreditMemo", { CustomerRef: { value: "1" } }),
  },
  errors: {
    // Intuit's gateway, which judges tokens, writes the names in small letters.
    message: ["Fault.Error.*.Detail", "Fault.Error.*.Message", "fault.error.*.detail|message"],
    code: "Fault.Error.0.code",
    furtherCode: "fault.error.0.code",
    codes: { 610: "not_found", 3001: "rate_limited", 5010: "conflict", 6240: "conflict" },
  },
  limits: { waitSeconds: 60 },
  sources: {
    documentation: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer",
    checked:
      "2026-11-26, Intuit’s SDK for PHP of 2026-07 (addresses, writes), its page about queries, singer-io/tap-quickbooks (inactive entries); the error codes were not found; 2026-11-28, its page about change data capture (deletions); 2026-11-29, its blog of 2015 about `requestid`",
  },
};
