/** Google Calendar: the events of the first and of any other calendar, and the calendars themselves. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

/** Without both parameters of the consent page there is no refresh token. */
export const provider = oauth2("Google", "https://www.googleapis.com", {
  authorize: "https://accounts.google.com/o/oauth2/v2/auth",
  token: "https://oauth2.googleapis.com/token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  oauth: { authURLParams: { access_type: "offline", prompt: "consent" } },
  declares: ["read", "write", "delete", "search"],
  defaultModule: "calendar",
  modules: {
    calendar: {
      displayName: "Google Calendar",
      baseURL: "https://www.googleapis.com/calendar",
      support: supports("read", "write", "delete", "search", "subscribe"),
      features: { backfill: { mostDays: { events: 28 } } },
    },
    contacts: {
      displayName: "Google Contacts",
      baseURL: "https://people.googleapis.com",
      support: supports(),
    },
    gmail: {
      displayName: "Gmail",
      baseURL: "https://gmail.googleapis.com/gmail",
      support: supports("read", "write", "subscribe"),
    },
  },
});

const text = { type: "string" as const };
const set = { readOnly: true };
const moment = { type: "other" as const, required: true };

const events = "/calendar/v3/calendars/{path}/events";

/** Without the last two, Google ignores the conference and the attachments in the body. */
const quietly = "sendUpdates=none&conferenceDataVersion=1&supportsAttachments=true";

/**
 * Nobody is invited or told by mail. Google selects changes of the last 20 days only. Cancelled events are asked for in each read, also where
 * the bound is too old to be sent: they are the deletions.
 */
const ofCalendar: ObjectRules = {
  list: {
    path: events,
    query: { showHiddenInvitations: "true", showDeleted: "true" },
    pageSize: { to: "query.maxResults", most: 2500 },
  },
  changedPath: "updated",
  since: { to: "query.updatedMin", oldestDays: 20 },
  deleted: { at: "status", is: "cancelled" },
  create: { method: "POST", path: `${events}?${quietly}` },
  update: { method: "PATCH", path: `${events}/{id}?${quietly}` },
  delete: { method: "DELETE", path: `${events}/{id}?sendUpdates=none` },
  get: { path: `${events}/{id}` },
  metadata: {
    label: "Event",
    fields: {
      id: { ...text, ...set },
      status: { type: "singleSelect", values: ["confirmed", "tentative", "cancelled"] },
      summary: text,
      description: text,
      location: text,
      start: moment,
      end: moment,
      recurrence: { type: "other" },
      attendees: { type: "other" },
      transparency: { type: "singleSelect", values: ["opaque", "transparent"] },
      visibility: { type: "singleSelect", values: ["default", "public", "private", "confidential"] },
      colorId: text,
      // Google ignores it in a body, unless a request says that it knows labels: then it ignores the color.
      eventLabelId: { ...text, ...set },
      reminders: { type: "other" },
      extendedProperties: { type: "other" },
      htmlLink: { ...text, ...set },
      organizer: { type: "other", ...set },
      created: { type: "datetime", ...set },
      updated: { type: "datetime", ...set },
    },
  },
  example: {
    summary: "Pens",
    start: { dateTime: "2026-11-21T10:00:00Z" },
    end: { dateTime: "2026-11-21T11:00:00Z" },
  },
};

export const description: Description = {
  module: "calendar",
  ids: { pattern: "[A-Za-z0-9_][A-Za-z0-9_.@-]{0,1023}" },
  defaults: { records: "items", paging: { cursor: { from: "nextPageToken", to: "query.pageToken" } } },
  objects: {
    events: { ...ofCalendar, path: "primary" },
    // The list names calendars of others, too, which only their owners change.
    calendars: {
      list: {
        path: "/calendar/v3/users/me/calendarList",
        query: { showHidden: "true", showDeleted: "true" },
        pageSize: { to: "query.maxResults", most: 250 },
      },
      deleted: { at: "deleted" },
      create: { method: "POST", path: "/calendar/v3/calendars" },
      update: { method: "PATCH", path: "/calendar/v3/calendars/{id}" },
      delete: { method: "DELETE", path: "/calendar/v3/calendars/{id}" },
      get: { path: "/calendar/v3/calendars/{id}" },
      example: { summary: "Pens" },
    },
  },
  others: {
    pattern: "[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}@[a-z0-9][a-z0-9-.]{1,200}",
    like: "pens@group.calendar.google.com",
    rules: ofCalendar,
  },
  errors: {
    message: ["error.message"],
    code: "error.errors.0.reason",
    codes: {
      rateLimitExceeded: "rate_limited",
      userRateLimitExceeded: "rate_limited",
      quotaExceeded: "rate_limited",
      dailyLimitExceeded: "rate_limited",
    },
  },
  sources: {
    documentation: "https://developers.google.com/workspace/calendar/api/v3/reference",
    checked:
      "2026-11-29, Google’s discovery document of the Calendar API, revision 20260708: requests, parameters, sizes of pages; labels of events are read only; the 20 days are from a report of Google's client library. Contacts and Gmail are on other hosts and not described",
  },
};
