/** How google is connected. Without both parameters of the consent page there is no refresh token. */
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";
import { supports } from "../../connector-kit/provider/define-provider.ts";

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
