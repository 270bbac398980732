/** Marketo: leads are written, leads of a static list, activities and assets are read. Refusals have the status 200. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Marketo", "https://{{.workspace}}.mktorest.com", {
  grant: "clientCredentials",
  token: "https://{{.workspace}}.mktorest.com/identity/oauth/token",
  tokenFields: { scopesField: "scope" },
  oauth: { explicitWorkspaceRequired: true },
  declares: ["read", "write", "delete", "search", batchWrite(300)],
  inputs: [
    {
      name: "workspace",
      displayName: "Munchkin Account ID",
      prompt: "The Munchkin id in your REST endpoint: 123-ABC-456 in 123-ABC-456.mktorest.com.",
      docsURL:
        "https://nation.marketo.com/t5/knowledgebase/how-to-find-your-munchkin-id-for-a-marketo-instance/ta-p/248432",
    },
  ],
});

/** Marketo's error codes of requests and of records, as far as their kind is not that of a wrong request. */
const errorCodes: NonNullable<Description["errors"]["codes"]> = {
  601: "unauthorized",
  602: "unauthorized",
  603: "forbidden",
  // A timeout and a system error tell nothing of what was done; a maintenance, an error that passes.
  604: "unknown_outcome",
  608: "unavailable",
  611: "unknown_outcome",
  // "Likely a timeout. The request should be retried"; "usually indicates temporary inaccessibility".
  502: "unknown_outcome",
  614: "unavailable",
  713: "unavailable",
  // Calls in 20 seconds, in a day, at the same time.
  606: "rate_limited",
  607: "rate_limited",
  615: "rate_limited",
  610: "not_found",
  702: "not_found",
  1004: "not_found",
  1013: "not_found",
  1005: "conflict",
  1007: "conflict",
  1008: "forbidden",
  1017: "conflict",
  1022: "conflict",
};

const leads = "/rest/v1/leads.json";
const wrap = { listAt: "input" };
const byId = { action: "updateOnly", lookupField: "id" };

/** Each record has a result of its own. */
const list = {
  method: "POST" as const,
  path: leads,
  most: 300,
  to: "input",
  answers: "result",
  okWhen: "status=created|updated",
  message: ["reasons.*.message"],
  code: "reasons.0.code",
};

/** Answers without records have no list. */
const asset: ObjectRules = {
  list: { path: "/rest/asset/v1/{path}.json", pageSize: { to: "query.maxReturn", most: 200 } },
  paging: { offset: { to: "query.offset" } },
  absentWhenEmpty: true,
  changedPath: "updatedAt",
};

/** Lists that know a bound. */
const datedAsset: ObjectRules = {
  ...asset,
  since: { to: "query.earliestUpdatedAt", format: "rfc3339-seconds" },
};

const inPages = { from: "nextPageToken", to: "query.nextPageToken" };

/** A list of what happened begins with a token for a time. */
const behindToken = {
  ...inPages,
  more: "moreResult",
  start: { path: "/rest/v1/activities/pagingtoken.json", sinceTo: "query.sinceDatetime" },
};

/** Leads that were deleted, wherever they were; older deletions "may be pruned". It needs the permission to read activities. */
const deletedLeads: ObjectRules["furtherLists"] = [
  {
    list: { path: "/rest/v1/activities/deletedleads.json" },
    paging: { cursor: behindToken },
    idPath: "leadId",
    changedPath: "activityDate",
    since: { format: "rfc3339-seconds", overlapMinutes: 60, oldestDays: 14 },
    deleted: true,
    mayBeForbidden: true,
  },
];

export const description: Description = {
  ids: { number: true },
  defaults: { modes: ["read"], records: "result" },
  objects: {
    // Leads can be listed by a static list only.
    leads: {
      modes: ["create", "update", "delete"],
      create: {
        method: "POST",
        path: leads,
        body: { action: "createOnly", lookupField: "email" },
        wrap,
        id: "result.0.id",
      },
      update: { method: "POST", path: leads, body: byId, wrap, idTo: "body.input.0.id", id: "result.0.id" },
      upsert: {
        method: "POST",
        path: leads,
        body: { action: "createOrUpdate" },
        wrap,
        keys: ["email"],
        keyNameTo: "body.lookupField",
        id: "result.0.id",
      },
      delete: { method: "POST", path: "/rest/v1/leads/delete.json", idTo: "body.input.0.id" },
      get: { path: "/rest/v1/lead/{id}.json", record: "result.0" },
      select: { to: "query.fields" },
      written: {
        okWhen: "result.0.status=created|updated|deleted",
        message: ["result.0.reasons.*.message"],
        code: "result.0.reasons.0.code",
      },
      batch: {
        create: { ...list, body: { action: "createOnly", lookupField: "email" } },
        update: { ...list, body: byId, idTo: "id" },
        upsert: { ...list, body: { action: "createOrUpdate" } },
      },
      metadata: {
        label: "Lead",
        list: {
          path: "/rest/v1/leads/describe2.json",
          records: "result.0.fields",
          name: "name",
          label: "displayName",
          type: "dataType",
          types: {
            string: "string",
            text: "string",
            email: "string",
            phone: "string",
            url: "string",
            integer: "int",
            score: "int",
            float: "float",
            currency: "float",
            percent: "float",
            boolean: "boolean",
            date: "date",
            datetime: "datetime",
            reference: "reference",
          },
          readOnly: { paths: ["updateable"], is: ["false"] },
        },
      },
      example: { email: "ada@example.com", firstName: "Ada" },
    },
    // Visits, forms, links, mails and what became of them, new leads, changed values; they are stored with a delay. A request names ten types at most.
    activities: {
      list: {
        path: "/rest/v1/activities.json",
        query: { activityTypeIds: "1,2,3,6,7,8,10,11,12,13" },
      },
      // Unsubscriptions, scores, lists, soft bounces, merges, interesting moments, progressions.
      furtherLists: [{ query: { activityTypeIds: "9,22,24,25,27,32,46,104" } }],
      idPath: "marketoGUID",
      changedPath: "activityDate",
      absentWhenEmpty: true,
      since: { format: "rfc3339-seconds", overlapMinutes: 60 },
      paging: { cursor: behindToken },
    },
    lists: {
      list: { path: "/rest/v1/lists.json", pageSize: { to: "query.batchSize", most: 300 } },
      paging: { cursor: inPages },
      absentWhenEmpty: true,
      changedPath: "updatedAt",
    },
    programs: datedAsset,
    emails: datedAsset,
    forms: asset,
    landingPages: asset,
    smartCampaigns: datedAsset,
  },
  others: {
    pattern: "list/[0-9]{1,12}",
    like: "list/1001",
    rules: {
      list: { path: "/rest/v1/{path}/leads.json", pageSize: { to: "query.batchSize", most: 300 } },
      paging: { cursor: inPages },
      absentWhenEmpty: true,
      changedPath: "updatedAt",
      select: { to: "query.fields" },
      furtherLists: deletedLeads,
    },
  },
  errors: {
    okWhen: "success=true",
    message: ["errors.*.message"],
    code: "errors.0.code",
    codes: errorCodes,
  },
  // 100 calls in 20 seconds, for all clients of an account.
  limits: { waitSeconds: 20, perSecond: 4 },
  sources: {
    documentation: "https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/rest-api",
    checked:
      "2026-11-28, Adobe’s OpenAPI files and pages of 2026-08; the order of lists of assets is told nowhere, codes of errors from Adobe’s page; activities are those of 18 types that every account has, by ids of Adobe’s blog and of another client, not those of Salesforce, of opportunities and of an account’s own types; deletions of leads from the list of the last 14 days, for which the API user needs the permission to read activities. Companies, opportunities and own objects, whose ids are no numbers, are left out",
  },
};
