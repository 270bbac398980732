/** Microsoft Dynamics' tables, by the Dataverse Web API. An update must not create, hence `If-Match`. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import type { BatchRules } from "../../connector-kit/declarative/rules/batch-rules.ts";
import type { FieldListRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2(
  "Microsoft Dynamics CRM",
  "https://{{.workspace}}.api.{{.region}}.dynamics.com/api/data",
  {
    authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    needsScopes: true,
    tokenFields: { scopesField: "scope" },
    oauth: { explicitWorkspaceRequired: true },
    declares: ["read", "write", "delete", "search", batchWrite(100)],
    inputs: [
      {
        name: "workspace",
        displayName: "Web API environment",
        prompt: "The environment in your Web API address: org123456 in org123456.api.crm.dynamics.com.",
        docsURL:
          "https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/compose-http-requests-handle-errors?view=dataverse-latest#web-api-url-and-versions",
      },
      {
        name: "region",
        displayName: "Region",
        prompt: "The part between api and dynamics.com in your Web API address, for example crm4.",
        defaultValue: "crm",
        docsURL:
          "https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/compose-http-requests-handle-errors?view=dataverse-latest#web-api-url-and-versions",
      },
    ],
  },
);

/** Records of these tables are created and updated together: one that is refused refuses all. */
const writeTogether = (idMember: string): BatchRules => ({
  create: {
    ...targets,
    path: "/v9.2/{path}/Microsoft.Dynamics.CRM.CreateMultiple",
    answers: "Ids",
    id: "",
  },
  update: { ...targets, path: "/v9.2/{path}/Microsoft.Dynamics.CRM.UpdateMultiple", idTo: idMember },
});

const targets = {
  method: "POST" as const,
  most: 100,
  to: "Targets",
  also: { "@odata.type": "Microsoft.Dynamics.CRM.{singular}" },
  together: true,
};

/** Columns that point to other records have other names in requests and answers, so they are left out. */
const POINTERS = ["Lookup", "Customer", "Owner", "PartyList", "EntityName", "ManagedProperty"];

/** Columns with several choices are `Virtual`, too; these are the others. */
const WITHOUT_VALUE = ["VirtualType", "ImageType", "FileType", "CalendarRulesType"];

const columns: FieldListRules = {
  path: "/v9.2/EntityDefinitions(LogicalName='{singular}')/Attributes",
  records: "value",
  paging: { nextUrl: { from: "@odata.nextLink" } },
  skip: [
    { paths: ["AttributeOf"], isNot: ["none"] },
    { paths: ["IsValidForRead"], is: ["false"] },
    { paths: ["AttributeType"], is: POINTERS },
    { paths: ["AttributeTypeName.Value"], is: WITHOUT_VALUE },
  ],
  name: "LogicalName",
  label: "DisplayName.UserLocalizedLabel.Label",
  explanation: "Description.UserLocalizedLabel.Label",
  type: "AttributeType",
  types: {
    String: "string",
    Memo: "string",
    Uniqueidentifier: "string",
    Integer: "int",
    BigInt: "int",
    Decimal: "float",
    Double: "float",
    Money: "float",
    Boolean: "boolean",
    DateTime: "datetime",
    Picklist: "singleSelect",
    State: "singleSelect",
    Status: "singleSelect",
    Virtual: "multiSelect",
  },
  custom: { paths: ["IsCustomAttribute"], is: ["true"] },
  readOnly: { paths: ["IsValidForCreate", "IsValidForUpdate"], is: ["false"] },
  required: { paths: ["RequiredLevel.Value"], is: ["ApplicationRequired", "SystemRequired"] },
};

/**
 * The audit of an environment has its deletions: 3 is one. It needs the privilege prvReadAuditSummary, and has tables whose changes are audited.
 * The tokens of change tracking cannot be kept between reads, and are for tables of which it is turned on, too.
 */
const auditedDeletions: NonNullable<ObjectRules["furtherLists"]>[number] = {
  list: {
    path: "/v9.2/audits",
    query: {
      $select: "_objectid_value,createdon",
      $filter: "operation eq 3 and objecttypecode eq '{singular}'{changed}",
      $orderby: "createdon",
    },
    pageSize: { to: "header.prefer", template: "odata.maxpagesize={size}", most: 500 },
  },
  idPath: "_objectid_value",
  changedPath: "createdon",
  // Entries can be late, because they are stored apart from the database; Microsoft does not say how late.
  since: {
    to: "fill.changed",
    template: " and createdon ge {since}",
    format: "rfc3339-seconds",
    overlapMinutes: 60,
  },
  deleted: true,
  mayBeForbidden: true,
};

const describeTable = (singular: string, idPath: string, example: ObjectRules["example"]): ObjectRules => ({
  singular,
  idPath,
  example,
});

export const description: Description = {
  ids: { pattern: "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}" },
  defaults: {
    // Without a size 5,000 records come, with all columns, which can be more than one answer may have.
    list: {
      path: "/v9.2/{path}",
      pageSize: { to: "header.prefer", template: "odata.maxpagesize={size}", most: 500 },
    },
    records: "value",
    paging: { nextUrl: { from: "@odata.nextLink" } },
    furtherLists: [auditedDeletions],
    changedPath: "modifiedon",
    // In the order of ids, which is the vendor's own and unambiguous. A request of others, with the plug-ins that it starts, may take two minutes,
    // and its rows, which nobody sees before, may have the time of its beginning.
    since: {
      to: "query.$filter",
      template: "modifiedon ge {since}",
      format: "rfc3339-seconds",
      overlapMinutes: 5,
    },
    create: { method: "POST", path: "/v9.2/{path}", headers: { prefer: "return=representation" } },
    update: { method: "PATCH", path: "/v9.2/{path}({id})", headers: { "if-match": "*" } },
    delete: { method: "DELETE", path: "/v9.2/{path}({id})" },
    get: { path: "/v9.2/{path}({id})" },
    metadata: { list: columns },
  },
  objects: {
    contacts: {
      ...describeTable("contact", "contactid", { firstname: "Ada" }),
      batch: writeTogether("contactid"),
    },
    accounts: {
      ...describeTable("account", "accountid", { name: "Quill Ltd" }),
      batch: writeTogether("accountid"),
    },
    leads: describeTable("lead", "leadid", { subject: "Pens" }),
    opportunities: describeTable("opportunity", "opportunityid", { name: "Pens" }),
    incidents: describeTable("incident", "incidentid", { title: "Printer" }),
    tasks: describeTable("task", "activityid", { subject: "Call Ada" }),
    phonecalls: describeTable("phonecall", "activityid", { subject: "Called Ada" }),
  },
  errors: { message: ["error.message"], code: "error.code", statuses: { "412": "conflict" } },
  sources: {
    documentation: "https://learn.microsoft.com/en-us/power-apps/developer/data-platform/webapi/overview",
    checked:
      "2026-11-28, Microsoft's documentation of the Web API in MicrosoftDocs/powerapps-docs, 2021 to 2026: all but batches; columns by the names of their types. Deletions are read from the audit: the connected user needs the privilege `prvReadAuditSummary`, and environment and table must be audited. Environments in national clouds whose users sign in elsewhere (GCC High, DoD, China) cannot be connected",
  },
};
