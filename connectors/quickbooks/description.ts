/** QuickBooks Online's lists and transactions: lists are queries, and every write repeats the record's version. */
import type { Description, ObjectRules } from "../../connector-kit/described/description.ts";

const readBefore = { from: "SyncToken", to: "body.SyncToken" };

/** Only transactions can be deleted; entries of lists are made inactive. */
const transaction = (singular: string, example: ObjectRules["example"]): ObjectRules => ({
  path: singular.toLowerCase(),
  singular,
  modes: ["read", "create", "update", "delete"],
  example,
});

export const description: Description = {
  ids: { pattern: "[0-9]{1,20}" },
  defaults: {
    modes: ["read", "create", "update"],
    list: {
      path: "/v3/company/{connection.realmId}/query",
      query: {
        query: "select * from {singular}{changed} orderby Id startposition {start} maxresults {size}",
      },
      pageSize: { to: "fill.size", most: 1000 },
    },
    records: "QueryResponse.{singular}",
    absentWhenEmpty: true,
    paging: { offset: { to: "fill.start", first: 1 } },
    idPath: "Id",
    changedPath: "MetaData.LastUpdatedTime",
    since: {
      to: "fill.changed",
      format: "rfc3339-seconds",
      template: " where MetaData.LastUpdatedTime >= '{since}'",
    },
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
    customer: { singular: "Customer", example: { DisplayName: "Quill Ltd" } },
    vendor: { singular: "Vendor", example: { DisplayName: "Quill Ltd" } },
    item: { singular: "Item", example: { Name: "Pen" } },
    account: { singular: "Account", example: { Name: "Pens" } },
    employee: { singular: "Employee", example: { GivenName: "Ada" } },
    invoice: transaction("Invoice", { CustomerRef: { value: "1" } }),
    bill: transaction("Bill", { VendorRef: { value: "1" } }),
    estimate: transaction("Estimate", { CustomerRef: { value: "1" } }),
    payment: transaction("Payment", { CustomerRef: { value: "1" } }),
    purchaseOrder: transaction("PurchaseOrder", { VendorRef: { value: "1" } }),
    salesReceipt: transaction("SalesReceipt", { CustomerRef: { value: "1" } }),
    creditMemo: transaction("CreditMemo", { CustomerRef: { value: "1" } }),
  },
  errors: {
    message: ["Fault.Error.*.Detail", "Fault.Error.*.Message"],
    code: "Fault.Error.0.code",
    codes: { 610: "not_found", 3001: "rate_limited", 5010: "conflict", 6240: "conflict" },
  },
  limits: { waitSeconds: 60 },
  sources: {
    documentation: "https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer",
    checked:
      "2026-11-23, public pages about the API, not by Intuit; `requestid`, the order by Id and the error codes were not looked up",
  },
};
