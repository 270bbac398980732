/** Facts about Google. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Google",
  authType: "oauth2",
  baseURL: "https://www.googleapis.com",
  defaultModule: "calendar",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://accounts.google.com/o/oauth2/v2/auth",
    // Without both of these there is no refresh token. (General knowledge.)
    authURLParams: { access_type: "offline", prompt: "consent" },
    tokenURL: "https://oauth2.googleapis.com/token",
    explicitScopesRequired: true,
    tokenMetadataFields: { scopesField: "scope" },
  },
  modules: {
    calendar: {
      displayName: "Google Calendar",
      baseURL: "https://www.googleapis.com/calendar",
      support: supports("read", "write", "subscribe"),
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
