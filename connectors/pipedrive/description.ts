/** Pipedrive's objects: version 2 of its API, and version 1 for notes. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import type { MetadataRules } from "../../connector-kit/declarative/rules/metadata-rules.ts";
import { RECORD_FIELDS } from "./record-fields.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

export const provider = oauth2("Pipedrive", "https://api.pipedrive.com", {
  authorize: "https://oauth.pipedrive.com/oauth/authorize",
  token: "https://oauth.pipedrive.com/oauth/token",
  tokenAuth: "basic",
  declares: ["read", "write", "delete", "search"],
  defaultModule: "legacy",
  modules: {
    crm: { displayName: "Pipedrive CRM", baseURL: "https://api.pipedrive.com", support: supports() },
    legacy: {
      displayName: "Pipedrive (Legacy)",
      baseURL: "https://api.pipedrive.com",
      support: supports("read", "write"),
    },
  },
});

/**
 * Fields that Pipedrive returns only if they are named: `include_fields` of its client for Node.js, 32.2.1. `MARKETING_FIELDS` are
 * not among them.
 */
const OPTIONAL_FIELDS = {
  deals:
    "next_activity_id,last_activity_id,first_won_time,products_count,files_count,notes_count," +
    "followers_count,email_messages_count,activities_count,done_activities_count,undone_activities_count," +
    "participants_count,last_incoming_mail_time,last_outgoing_mail_time,smart_bcc_email,source_lead_id",
  persons:
    "next_activity_id,last_activity_id,open_deals_count,related_open_deals_count,closed_deals_count," +
    "related_closed_deals_count,participant_open_deals_count,participant_closed_deals_count," +
    "email_messages_count,activities_count,done_activities_count,undone_activities_count,files_count," +
    "notes_count,followers_count,won_deals_count,related_won_deals_count,lost_deals_count," +
    "related_lost_deals_count,last_incoming_mail_time,last_outgoing_mail_time,smart_bcc_email",
  organizations:
    "next_activity_id,last_activity_id,open_deals_count,related_open_deals_count,closed_deals_count," +
    "related_closed_deals_count,email_messages_count,people_count,activities_count,done_activities_count," +
    "undone_activities_count,files_count,notes_count,followers_count,won_deals_count," +
    "related_won_deals_count,lost_deals_count,related_lost_deals_count,smart_bcc_email",
  activities: "attendees",
};

/** Fields of persons that only companies with the marketing app may name: the reads of another company are refused. */
const MARKETING_FIELDS = ["marketing_status", "doi_status"];

/**
 * Custom fields have names of 40 characters, and are members of `custom_fields` in both directions. The list is "near-complete" ("fetch
 * one person and list its keys", developers.pipedrive.com, PersonFields): members of records that it may not have are named here.
 */
const describeMetadata = (object?: keyof typeof RECORD_FIELDS): MetadataRules => ({
  ...(object && { fields: RECORD_FIELDS[object] }),
  list: {
    path: "/api/v2/{singular}Fields",
    query: { limit: "500" },
    records: "data",
    paging: { cursor: { from: "additional_data.next_cursor", to: "query.cursor" } },
    name: "field_code",
    label: "field_name",
    type: "field_type",
    types: {
      varchar: "string",
      varchar_auto: "string",
      text: "string",
      phone: "string",
      int: "int",
      double: "float",
      monetary: "float",
      date: "date",
      enum: "singleSelect",
      set: "multiSelect",
      user: "reference",
      org: "reference",
      people: "reference",
    },
    custom: { paths: ["is_custom_field"], is: ["true"] },
    customIn: "custom_fields",
    options: { at: "options", value: "id", label: "label" },
  },
});

/** Records stay for 30 days after their deletion. */
const deleted = { at: "is_deleted" };

/** The rules of objects some of whose fields are returned only if they are named. */
const withOptional = (object: keyof typeof OPTIONAL_FIELDS): Pick<ObjectRules, "list" | "get"> => ({
  list: {
    path: "/api/v2/{path}",
    query: { include_fields: OPTIONAL_FIELDS[object] },
    pageSize: { to: "query.limit", most: 500 },
  },
  get: { path: `/api/v2/{path}/{id}?include_fields=${OPTIONAL_FIELDS[object]}`, record: "data", deleted },
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v2/{path}", pageSize: { to: "query.limit", most: 500 } },
    records: "data",
    paging: { cursor: { from: "additional_data.next_cursor", to: "query.cursor" } },
    changedPath: "update_time",
    since: { to: "query.updated_since", format: "rfc3339-seconds" },
    create: { method: "POST", path: "/api/v2/{path}" },
    update: { method: "PATCH", path: "/api/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    // Archived deals have a list of their own; those deleted in the last 30 days come if their status is named.
    deals: {
      singular: "deal",
      metadata: describeMetadata("deals"),
      ...withOptional("deals"),
      since: {
        to: "query.updated_since",
        format: "rfc3339-seconds",
        query: { status: "open,won,lost,deleted" },
      },
      furtherLists: [{ path: "/api/v2/deals/archived" }],
      deleted: { at: "status", is: "deleted" },
      example: { title: "Pens" },
    },
    persons: {
      singular: "person",
      metadata: describeMetadata("persons"),
      ...withOptional("persons"),
      get: { path: "/api/v2/{path}/{id}", record: "data", deleted },
      select: { to: "query.include_fields", optional: MARKETING_FIELDS },
      example: { name: "Ada Quill" },
    },
    organizations: {
      singular: "organization",
      metadata: describeMetadata("organizations"),
      ...withOptional("organizations"),
      example: { name: "Quill Ltd" },
    },
    activities: {
      singular: "activity",
      metadata: describeMetadata("activities"),
      ...withOptional("activities"),
      example: { subject: "Call" },
    },
    products: {
      singular: "product",
      metadata: describeMetadata(),
      get: { path: "/api/v2/{path}/{id}", record: "data", deleted },
      since: {},
      example: { name: "Pen" },
    },
    pipelines: { since: {}, example: { name: "Sales" } },
    stages: { since: {}, example: { name: "Won" } },
    notes: {
      list: {
        path: "/v1/{path}",
        query: { sort: "id ASC" },
        pageSize: { to: "query.limit", most: 500 },
      },
      paging: {
        offset: { to: "query.start", more: "additional_data.pagination.more_items_in_collection" },
      },
      create: { method: "POST", path: "/v1/{path}" },
      update: { method: "PUT", path: "/v1/{path}/{id}" },
      delete: { method: "DELETE", path: "/v1/{path}/{id}" },
      get: { path: "/v1/{path}/{id}", record: "data" },
      example: { content: "Asked for pens" },
    },
  },
  errors: { okWhen: "success=true", message: ["error"], marks: ["success"], code: "errorCode" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developers.pipedrive.com/docs/api/v1",
    checked:
      "2026-11-28, Pipedrive’s client for Node.js 32.2.1 of 2026-04, its migration guide. `marketing_status` and `doi_status` of persons are read only by name: only companies with the marketing app may ask for them",
  },
};
