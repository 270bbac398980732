/** Resend's contacts, segments, topics and what is sent to them. Only templates tell when they changed; writes answer with an id. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Resend", "https://api.resend.com", {
  docs: "https://resend.com/docs/dashboard/api-keys/introduction",
  declares: ["read", "write", "delete", "search"],
});

/**
 * Lists have these without their contents. Contacts, of which there can be very many, are read without their own properties. Pages are small,
 * since a refused request begins the page anew, and the two requests a second are shared with all that the team sends.
 */
const wholeOnly = {
  readEach: true,
  list: { path: "/{path}", pageSize: { to: "query.limit", most: 10 } },
};

export const description: Description = {
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "data",
    // Newest first, behind the id of the last record.
    paging: { keyset: { to: "query.after", more: "has_more" } },
    create: { method: "POST", path: "/{path}", id: "id" },
    update: { method: "PATCH", path: "/{path}/{id}", empty: true },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: { example: { email: "ada@example.com", first_name: "Ada" } },
    segments: { ...wholeOnly, modes: ["read", "create", "delete"], example: { name: "writers" } },
    topics: { example: { name: "Ink", default_subscription: "opt_in" } },
    "contact-properties": { example: { key: "plan", type: "string" } },
    broadcasts: {
      ...wholeOnly,
      example: {
        segment_id: "78261eea-8f8b-4381-83c6-79fa7120f1cf",
        from: "ada@example.com",
        subject: "Pens",
      },
    },
    templates: { ...wholeOnly, changedPath: "updated_at", example: { name: "Ink", html: "<p>Ink</p>" } },
    domains: { ...wholeOnly, example: { name: "example.com" } },
    suppressions: { modes: ["read", "create", "delete"], example: { email: "ada@example.com" } },
    emails: { modes: ["read"] },
  },
  errors: { message: ["message"], marks: ["name"], code: "name" },
  limits: { perSecond: 2 },
  sources: {
    documentation: "https://resend.com/docs/api-reference",
    checked:
      "2026-11-27, Resend's OpenAPI file 1.5.0 of 2026-08-21: addresses, bodies, answers; its pages about paging and limits; its own Rust client 0.31: refusals. An entry of our own: the published catalog does not have this provider",
  },
};
