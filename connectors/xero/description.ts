/** Xero's accounting objects: PUT creates, POST updates, and answers hold a list with the record. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** The first organisation that was agreed to is used. */
export const provider = oauth2("Xero", "https://api.xero.com", {
  authorize: "https://login.xero.com/identity/connect/authorize",
  token: "https://identity.xero.com/connect/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.xero.com/connections",
    fields: [{ name: "tenantId", displayName: "Tenant id", path: "0.tenantId" }],
    workspaceField: "tenantId",
  },
  metadata: { postAuthentication: [{ name: "tenantId" }] },
  fixedHeaders: [
    { name: "Xero-Tenant-Id", valueTemplate: "{{.tenantId}}" },
    { name: "Accept", valueTemplate: "application/json" },
  ],
});

/** A deleted record stays in its list: to delete a payment is to set its status (`PaymentDelete` of Xero's file). */
const deleted = { at: "Status", is: "DELETED" };

/** These lists have one page. */
const unpaged: ObjectRules = {
  list: { path: "/api.xro/2.0/{path}" },
  paging: { none: true },
};

/** These lists leave archived records out unless they are asked for. */
const withArchived = (): Required<ObjectRules>["list"] => ({
  ...paged,
  query: { ...paged.query, includeArchived: "true" },
});

/** Each record has a result of its own; without the parameter, one refused record refuses all. */
const results = {
  path: "/api.xro/2.0/{path}?summarizeErrors=false",
  most: 50,
  to: "{path}",
  answers: "{path}",
  okWhen: "StatusAttributeString=OK|WARNING",
  message: ["ValidationErrors.*.Message"],
};

/** Amounts of a unit have two decimals otherwise, read and written. */
const askFourDecimals = (list: Required<ObjectRules>["list"]): ObjectRules => ({
  list: { ...list, query: { ...list.query, unitdp: "4" } },
  create: { ...create, path: `${create.path}?unitdp=4` },
  update: { ...update, path: `${update.path}?unitdp=4` },
  get: { path: "/api.xro/2.0/{path}/{id}?unitdp=4", record: "{path}.0" },
  batch: {
    create: { method: "PUT", ...results, path: `${results.path}&unitdp=4` },
    update: { method: "POST", ...results, path: `${results.path}&unitdp=4`, idTo: "{singular}ID" },
  },
});

const paged: Required<ObjectRules>["list"] = {
  path: "/api.xro/2.0/{path}",
  query: { order: "{singular}ID ASC" },
  // Up to 1,000 are allowed; records have their lines, and an organisation has 5,000 calls a day.
  pageSize: { to: "query.pageSize", most: 500 },
};

const since = { to: "header.If-Modified-Since", format: "rfc3339-seconds" as const };

const create = {
  method: "PUT" as const,
  path: "/api.xro/2.0/{path}",
  idempotencyKeyTo: "header.Idempotency-Key",
};
const update = { method: "POST" as const, path: "/api.xro/2.0/{path}/{id}" };

export const description: Description = {
  ids: { pattern: "[0-9a-fA-F-]{36}" },
  defaults: {
    modes: ["read", "create", "update"],
    list: paged,
    records: "{path}",
    paging: { page: { to: "query.page", first: 1, anySize: true } },
    changedPath: "UpdatedDateUTC",
    changedFormat: "json-date",
    since,
    create,
    update,
    delete: { method: "DELETE", path: "/api.xro/2.0/{path}/{id}" },
    get: { path: "/api.xro/2.0/{path}/{id}", record: "{path}.0" },
    record: "{path}.0",
    batch: {
      create: { method: "PUT", ...results },
      update: { method: "POST", ...results, idTo: "{singular}ID" },
    },
  },
  objects: {
    Contacts: {
      singular: "Contact",
      idPath: "ContactID",
      list: withArchived(),
      example: { Name: "Quill Ltd" },
    },
    Invoices: {
      singular: "Invoice",
      idPath: "InvoiceID",
      deleted,
      ...askFourDecimals(withArchived()),
      example: { Type: "ACCREC" },
    },
    CreditNotes: {
      singular: "CreditNote",
      idPath: "CreditNoteID",
      deleted,
      ...askFourDecimals(paged),
      example: { Type: "ACCRECCREDIT" },
    },
    PurchaseOrders: {
      singular: "PurchaseOrder",
      idPath: "PurchaseOrderID",
      deleted,
      example: { Reference: "Pens" },
    },
    // The size of their pages cannot be chosen: they go on by the time of change.
    Quotes: {
      singular: "Quote",
      idPath: "QuoteID",
      deleted,
      list: { path: "/api.xro/2.0/{path}", query: { order: "UpdatedDateUTC ASC" } },
      since: { ...since, full: "1970-01-01T00:00:00Z", keyset: true, exclusive: true },
      example: { Title: "Pens" },
    },
    BankTransactions: {
      singular: "BankTransaction",
      idPath: "BankTransactionID",
      deleted,
      ...askFourDecimals(paged),
      example: { Type: "SPEND" },
    },
    ManualJournals: {
      singular: "ManualJournal",
      idPath: "ManualJournalID",
      deleted,
      example: { Narration: "Pens" },
    },
    Payments: {
      singular: "Payment",
      idPath: "PaymentID",
      deleted,
      modes: ["read", "create"],
      example: { Amount: 1 },
    },
    Accounts: {
      idPath: "AccountID",
      deleted,
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
      ...askFourDecimals({ path: "/api.xro/2.0/{path}" }),
      example: { Code: "PEN" },
    },
  },
  errors: {
    message: ["Elements.*.ValidationErrors.*.Message", "Detail", "Message"],
    code: "Type",
    // The text is all of the answer.
    texts: {
      "looking for cannot be found": "not_found",
      // With 401, for a valid token without the scope; a bad token is `AuthenticationUnsuccessful`.
      AuthorizationUnsuccessful: "forbidden",
    },
  },
  limits: { perSecond: 1 },
  sources: {
    documentation: "https://developer.xero.com/documentation/api/accounting/overview",
    checked:
      "2026-11-28, Xero's OpenAPI file 16.1.0 of 2026-07-13; the largest page from its mail to developers, as a client quotes it; the results of batches were not looked up",
  },
};
