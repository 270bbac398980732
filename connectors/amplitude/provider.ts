/** Facts about Amplitude. */
import { defineProvider, supports } from "../../connector-kit/define-provider.ts";

export const provider = defineProvider({
  displayName: "Amplitude",
  authType: "basic",
  baseURL: "https://amplitude.com",
  support: supports("read", "write", "proxy"),
});
