/** Outreach's objects, in the form of JSON:API. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Outreach", "https://api.outreach.io", {
  authorize: "https://api.outreach.io/oauth/authorize",
  token: "https://api.outreach.io/oauth/token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "subscribe", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.api+json" }],
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v2/{path}", pageSize: { to: "query.page[size]", most: 1000 } },
    records: "data",
    flatten: "attributes",
    paging: { nextUrl: { from: "links.next" } },
    changedPath: "attributes.updatedAt",
    // Some records were seen to appear late; nobody says how late.
    since: {
      to: "query.filter[updatedAt]",
      template: "{since}..inf",
      overlapMinutes: 10,
      settlingMinutes: 360,
    },
    create: { method: "POST", path: "/api/v2/{path}", wrap: { jsonApi: true } },
    // The id in the body is a number, too.
    update: {
      method: "PATCH",
      path: "/api/v2/{path}/{id}",
      wrap: { jsonApi: true },
      idTo: "body.data.id",
    },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    prospects: { singular: "prospect", example: { firstName: "Ada" } },
    accounts: { singular: "account", example: { name: "Quill Ltd" } },
    opportunities: { singular: "opportunity", example: { name: "Pens" } },
    tasks: { singular: "task", example: { note: "Call Ada" } },
    sequences: { singular: "sequence", example: { name: "Pens" } },
    // No address deletes a step, and none updates a prospect's place in a sequence, an e-mail or a call.
    sequenceSteps: {
      singular: "sequenceStep",
      modes: ["read", "create", "update"],
      example: { stepType: "manual_email" },
    },
    // A prospect in a sequence; `relationships` name prospect, sequence and mailbox.
    sequenceStates: { singular: "sequenceState", modes: ["read", "create", "delete"] },
    sequenceTemplates: { singular: "sequenceTemplate" },
    templates: { singular: "template", example: { name: "Hello" } },
    snippets: { singular: "snippet", example: { name: "Bye" } },
    mailboxes: { singular: "mailbox", example: { email: "ada@example.com" } },
    mailings: { singular: "mailing", modes: ["read", "create"], example: { subject: "Pens" } },
    calls: { singular: "call", modes: ["read", "create", "delete"], example: { direction: "outbound" } },
    users: { singular: "user", modes: ["read", "create", "update"], example: { email: "ada@example.com" } },
    stages: { modes: ["read"] },
    opportunityStages: { modes: ["read"] },
    personas: { modes: ["read"] },
    roles: { modes: ["read"] },
    teams: { modes: ["read"] },
    // Events do not change: they have the time of their creation only.
    events: { modes: ["read"], changedPath: "attributes.createdAt", since: {} },
  },
  errors: { message: ["errors.*.detail", "errors.*.title"], code: "errors.0.id" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developers.outreach.io/api/reference",
    checked:
      "2026-11-26, Outreach's OpenAPI file of 2026-08-22: addresses, verbs, statuses, members; size, filter, order and paging of lists from a published connector",
  },
};
