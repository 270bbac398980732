/** Facts about SurveyMonkey. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "SurveyMonkey",
  authType: "oauth2",
  baseURL: "https://api.surveymonkey.com",
  support: supports("proxy"),
  oauth2Opts: {
    grantType: "authorizationCode",
    authURL: "https://api.surveymonkey.com/oauth/authorize",
    tokenURL: "https://api.surveymonkey.com/oauth/token",
  },
});
