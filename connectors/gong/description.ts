/** Gong: calls with what was said and found in them, transcripts, users and workspaces are read, calls and meetings are created. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** Each customer has a host of their own, named in the token response. */
export const provider = oauth2("Gong", "{{.api_base_url_for_customer}}", {
  authorize: "https://app.gong.io/oauth2/authorize",
  token: "https://app.gong.io/oauth2/generate-customer-token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: {
    workspaceRefField: "api_base_url_for_customer",
    scopesField: "scope",
    otherFields: [
      { name: "api_base_url_for_customer", displayName: "API base URL", path: "api_base_url_for_customer" },
    ],
  },
  declares: ["read", "write", "search", "subscribe"],
  hostSuffixes: [".gong.io"],
});

const inBody = { cursor: { from: "records.cursor", to: "body.cursor" } };

/** Path of the number of records in the whole list, on every page. */
const total = "records.totalRecords";

/**
 * What Gong tells of a call, which has none of it by default. The context is the links to the CRM without the fields of their records: these
 * make a page, whose size cannot be chosen, longer than an answer may be, and the CRM has them. Not the addresses of recordings, which need a scope of their own and
 * hold for eight hours, nor each occurrence of a tracker.
 */
const WHOLE_CALL = {
  context: "Basic",
  exposedFields: {
    parties: true,
    content: {
      structure: true,
      topics: true,
      trackers: true,
      brief: true,
      outline: true,
      highlights: true,
      callOutcome: true,
      keyPoints: true,
    },
    interaction: { speakers: true, video: true, personInteractionStats: true, questions: true },
    collaboration: { publicComments: true },
  },
};

/**
 * Lists select by the start of a call, not by its change, and a call appears when it is processed: reads go back a day. A list
 * without calls is refused.
 */
const selected = {
  since: { to: "body.filter.fromDateTime", format: "rfc3339-seconds" as const, overlapMinutes: 24 * 60 },
  paging: inBody,
  total,
  emptyWhen: "found corresponding to the provided filters",
};

export const description: Description = {
  // Digits, too many for a number.
  ids: { pattern: "[0-9A-Za-z-]{1,40}" },
  defaults: {
    modes: ["read"],
    list: { path: "/v2/{path}" },
    records: "{path}",
    paging: { cursor: { from: "records.cursor", to: "query.cursor" } },
  },
  objects: {
    calls: {
      ...selected,
      modes: ["read", "create"],
      list: {
        method: "POST",
        path: "/v2/calls/extensive",
        body: { filter: {}, contentSelector: WHOLE_CALL },
      },
      flatten: "metaData",
      idPath: "metaData.id",
      changedPath: "metaData.started",
      create: { method: "POST", path: "/v2/calls", id: "callId" },
      example: {
        clientUniqueId: "c-77",
        actualStart: "2026-11-20T09:00:00Z",
        direction: "Outbound",
        primaryUser: "234599484848423",
        parties: [{ userId: "234599484848423" }, { emailAddress: "ada@example.com" }],
      },
    },
    transcripts: {
      ...selected,
      list: { method: "POST", path: "/v2/calls/transcript", body: { filter: {} } },
      records: "callTranscripts",
      idPath: "callId",
    },
    users: { total, get: { path: "/v2/users/{id}", record: "user" } },
    workspaces: { paging: { none: true } },
    // Those of the company come with the flows of every user: a record may come more than once.
    flows: {
      list: { path: "/v2/flows?flowOwnerEmail={parent}" },
      parent: { object: "users", by: "emailAddress" },
    },
    // A deletion needs the organizer's address besides the id.
    meetings: {
      modes: ["create", "update"],
      create: { method: "POST", path: "/v2/meetings", id: "meetingId" },
      update: {
        method: "PUT",
        path: "/v2/meetings/{id}",
        empty: true,
        requires: ["startTime", "endTime", "invitees", "organizerEmail"],
      },
      example: {
        startTime: "2026-11-21T10:00:00Z",
        endTime: "2026-11-21T11:00:00Z",
        organizerEmail: "ada@example.com",
        invitees: [{ email: "bo@example.com" }],
      },
    },
  },
  errors: { message: ["errors.*"] },
  limits: { perSecond: 3 },
  sources: {
    documentation: "https://help.gong.io/apidocs",
    checked:
      "2026-11-28, documentation: lists of calls, limits, and a client made from Gong's OpenAPI file of 2026-07 (what calls have on request, create of calls, meetings); the refusal of an empty list and the delay of calls are from reports of other clients; flows from published connectors",
  },
};
