/** Facts about Chorus. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Chorus",
  authType: "basic",
  baseURL: "https://chorus.ai",
  support: supports("read", "write", "proxy"),
});
