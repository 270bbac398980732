/** Facts about Calendly. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Calendly",
  authType: "oauth2",
  baseURL: "https://api.calendly.com",
  support: supports("read", "write", "proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://auth.calendly.com/oauth/authorize",
    tokenURL: "https://auth.calendly.com/oauth/token",
  },
  postAuthInfoNeeded: true,
  accountInfo: {
    url: "https://api.calendly.com/users/me",
    fields: [
      { name: "UserURI", displayName: "User", path: "resource.uri" },
      { name: "OrganizationURI", displayName: "Organisation", path: "resource.current_organization" },
    ],
  },
  metadata: { postAuthentication: [{ name: "UserURI" }, { name: "OrganizationURI" }] },
  authHealthCheck: { url: "https://api.calendly.com/users/me" },
});
