/** Mailchimp: the members of an audience are an object by its id; audiences, campaigns, templates and stores have theirs. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { batchWrite } from "../../connector-kit/provider/define-provider.ts";

/** Its tokens do not expire; each account has the host of its data centre. */
export const provider = oauth2("Mailchimp", "https://{{.workspace}}.api.mailchimp.com", {
  authorize: "https://login.mailchimp.com/oauth2/authorize",
  token: "https://login.mailchimp.com/oauth2/token",
  declares: ["read", "write", "delete", "search", batchWrite(500)],
  inputs: [
    {
      name: "workspace",
      displayName: "Server prefix",
      prompt:
        "The part of your Mailchimp address before admin.mailchimp.com: us21 in us21.admin.mailchimp.com.",
      pastedSuffixes: [".admin.mailchimp.com"],
    },
  ],
});

const members = "/3.0/lists/{path}/members";
const text = { type: "string" as const };

/** A list by position whose records keep their places. `asked`: parameters that bring members which are absent otherwise. */
const listSorted = (field: string, asked: Record<string, string> = {}) => ({
  path: "/3.0/{path}",
  query: { sort_field: field, sort_dir: "ASC", ...asked },
  pageSize: { to: "query.count", most: 1000 },
});

const update = { method: "PATCH" as const, path: "/3.0/{path}/{id}" };

export const description: Description = {
  defaults: {
    list: { path: "/3.0/{path}", pageSize: { to: "query.count", most: 1000 } },
    records: "{path}",
    total: "total_items",
    paging: { offset: { to: "query.offset" } },
    create: { method: "POST", path: "/3.0/{path}" },
    update,
    delete: { method: "DELETE", path: "/3.0/{path}/{id}" },
    get: { path: "/3.0/{path}/{id}" },
  },
  objects: {
    lists: {
      list: listSorted("date_created", { include_total_contacts: "true" }),
      get: { path: "/3.0/{path}/{id}?include_total_contacts=true" },
      example: { name: "Pens", permission_reminder: "You bought a pen", email_type_option: false },
    },
    campaigns: {
      list: listSorted("create_time", { include_resend_shortcut_eligibility: "true" }),
      get: { path: "/3.0/{path}/{id}?include_resend_shortcut_eligibility=true" },
      update: {
        ...update,
        repeats: ["settings.subject_line", "settings.from_name", "settings.reply_to"],
      },
      example: { type: "regular" },
    },
    templates: {
      idPattern: "[0-9]{1,20}",
      // No answer has the html of a template.
      update: { ...update, repeats: ["name"], requires: ["html"] },
      list: listSorted("date_created"),
      example: { name: "Pens", html: "<p>Pens</p>" },
    },
    stores: {
      list: { path: "/3.0/ecommerce/stores", pageSize: { to: "query.count", most: 1000 } },
      create: { method: "POST", path: "/3.0/ecommerce/stores" },
      update: { method: "PATCH", path: "/3.0/ecommerce/stores/{id}" },
      delete: { method: "DELETE", path: "/3.0/ecommerce/stores/{id}" },
      get: { path: "/3.0/ecommerce/stores/{id}" },
      changedPath: "updated_at",
      example: { id: "pens", list_id: "9e67587f52", name: "Pens", currency_code: "EUR" },
    },
  },
  others: {
    pattern: "[0-9a-f]{10}",
    like: "9e67587f52",
    rules: {
      list: {
        path: members,
        // Who was imported has no `timestamp_signup`: by it, such members are in no order.
        query: { sort_field: "last_changed", sort_dir: "ASC" },
        pageSize: { to: "query.count", most: 1000 },
      },
      records: "members",
      changedPath: "last_changed",
      // To delete a member archives it. Archived ones are in no other list.
      furtherLists: [{ query: { status: "archived" }, deleted: true }],
      deleted: { at: "status", is: "archived" },
      since: {
        to: "query.since_last_changed",
        format: "rfc3339-seconds",
        exclusive: true,
        full: "1970-01-01T00:00:00Z",
        keyset: true,
      },
      create: { method: "POST", path: members },
      update: { method: "PATCH", path: `${members}/{id}` },
      // A new member gets the status in `status_if_new`.
      upsert: { method: "PUT", path: `${members}/{value}`, keys: ["email_address"], keyHash: "md5" },
      // Archives the member.
      delete: { method: "DELETE", path: `${members}/{id}` },
      get: { path: `${members}/{id}` },
      batch: {
        create: {
          method: "POST",
          path: "/3.0/lists/{path}",
          most: 500,
          to: "members",
          answers: "new_members",
          ref: { of: "email_address", from: "email_address" },
          refused: [{ at: "errors" }],
          message: ["error"],
          code: "error_code",
        },
      },
      metadata: {
        label: "Member",
        fields: {
          email_address: { ...text, required: true },
          status: {
            type: "singleSelect",
            values: ["subscribed", "unsubscribed", "cleaned", "pending", "transactional"],
          },
          status_if_new: {
            type: "singleSelect",
            values: ["subscribed", "unsubscribed", "cleaned", "pending", "transactional"],
          },
          language: text,
          vip: { type: "boolean" },
          tags: { type: "other" },
          last_changed: { type: "datetime", readOnly: true },
        },
        list: {
          path: "/3.0/lists/{path}/merge-fields",
          query: { count: "1000" },
          records: "merge_fields",
          customIn: "merge_fields",
          name: "tag",
          label: "name",
          explanation: "help_text",
          type: "type",
          types: {
            text: "string",
            number: "float",
            phone: "string",
            date: "date",
            url: "string",
            imageurl: "string",
            radio: "singleSelect",
            dropdown: "singleSelect",
            birthday: "string",
            zip: "string",
            address: "other",
          },
          options: { at: "options.choices" },
        },
      },
      example: { email_address: "ada@example.com", status: "subscribed" },
    },
  },
  errors: {
    message: ["errors.*.message", "detail", "title"],
    marks: ["instance"],
    code: "title",
    codes: { "Member Exists": "conflict", ERROR_CONTACT_EXISTS: "conflict" },
  },
  sources: {
    documentation: "https://mailchimp.com/developer/marketing/api/",
    checked:
      "2026-11-27, Mailchimp's own OpenAPI file 3.0.55 and client 3.0.80: lists, members, campaigns, templates, stores; batches and members of merge fields by documentation; the order of members by somebody else's calls. A create takes `tags`; updates and upserts do not know them: they are changed at `/members/{id}/tags`, through the proxy. An entry of our own: the published catalog does not have this provider",
  },
};
