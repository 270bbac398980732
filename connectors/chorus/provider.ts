/** What Busbar knows about Chorus. */
import { defineProvider, supports } from "../../connector-kit/provider.ts";

export const provider = defineProvider({
  displayName: "Chorus",
  authType: "basic",
  baseURL: "https://chorus.ai",
  support: supports("read", "write", "proxy"),
});
