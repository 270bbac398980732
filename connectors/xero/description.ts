/** Xero's accounting objects: PUT creates, POST updates, and answers hold a list with the record. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";

/** These lists have one page. */
const unpaged: ObjectRules = {
  list: { path: "/api.xro/2.0/{path}" },
  paging: { none: true },
};

/** By default these lists leave archived records out. */
const withArchived: ObjectRules = {
  list: {
    path: "/api.xro/2.0/{path}",
    query: { order: "{singular}ID ASC", includeArchived: "true" },
    pageSize: { to: "query.pageSize", most: 100 },
  },
};

/** Each record has a result of its own; without the parameter, one refused record refuses all. */
const list = {
  path: "/api.xro/2.0/{path}?summarizeErrors=false",
  most: 50,
  to: "{path}",
  answers: "{path}",
  okWhen: "StatusAttributeString=OK|WARNING",
  message: ["ValidationErrors.*.Message"],
};

export const description: Description = {
  ids: { pattern: "[0-9a-fA-F-]{36}" },
  defaults: {
    modes: ["read", "create", "update"],
    list: {
      path: "/api.xro/2.0/{path}",
      query: { order: "{singular}ID ASC" },
      pageSize: { to: "query.pageSize", most: 100 },
    },
    records: "{path}",
    paging: { page: { to: "query.page", first: 1 } },
    changedPath: "UpdatedDateUTC",
    changedFormat: "json-date",
    since: { to: "header.If-Modified-Since", format: "rfc3339-seconds" },
    create: { method: "PUT", path: "/api.xro/2.0/{path}", idempotencyKeyTo: "header.Idempotency-Key" },
    update: { method: "POST", path: "/api.xro/2.0/{path}/{id}" },
    delete: { method: "DELETE", path: "/api.xro/2.0/{path}/{id}" },
    get: { path: "/api.xro/2.0/{path}/{id}", record: "{path}.0" },
    record: "{path}.0",
    batch: {
      create: { method: "PUT", ...list },
      update: { method: "POST", ...list, idTo: "{singular}ID" },
    },
  },
  objects: {
    Contacts: {
      singular: "Contact",
      idPath: "ContactID",
      ...withArchived,
      example: { Name: "Quill Ltd" },
    },
    Invoices: {
      singular: "Invoice",
      idPath: "InvoiceID",
      ...withArchived,
      example: { Type: "ACCREC" },
    },
    CreditNotes: { singular: "CreditNote", idPath: "CreditNoteID", example: { Type: "ACCRECCREDIT" } },
    PurchaseOrders: { singular: "PurchaseOrder", idPath: "PurchaseOrderID", example: { Reference: "Pens" } },
    // The size of their pages cannot be chosen.
    Quotes: {
      singular: "Quote",
      idPath: "QuoteID",
      list: { path: "/api.xro/2.0/{path}", query: { order: "{singular}ID ASC" } },
      example: { Title: "Pens" },
    },
    BankTransactions: {
      singular: "BankTransaction",
      idPath: "BankTransactionID",
      example: { Type: "SPEND" },
    },
    ManualJournals: { singular: "ManualJournal", idPath: "ManualJournalID", example: { Narration: "Pens" } },
    Payments: { singular: "Payment", idPath: "PaymentID", modes: ["read", "create"], example: { Amount: 1 } },
    Accounts: {
      idPath: "AccountID",
      ...unpaged,
      // Accounts are created one by one.
      batch: {},
      example: { Name: "Pens", Code: "200" },
    },
    Items: {
      singular: "Item",
      idPath: "ItemID",
      modes: ["read", "create", "update", "delete"],
      ...unpaged,
      example: { Code: "PEN" },
    },
  },
  errors: {
    message: ["Elements.*.ValidationErrors.*.Message", "Detail", "Message"],
    code: "Type",
  },
  limits: { perSecond: 1 },
  sources: {
    documentation: "https://developer.xero.com/documentation/api/accounting/overview",
    checked:
      "2026-11-26, Xero's OpenAPI file 16.1.0 of 2026-07-13; the results of batches were not looked up",
  },
};
