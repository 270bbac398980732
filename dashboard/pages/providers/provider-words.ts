/** What a provider is, in words. */
import type { Schemas } from "../../api.gen.ts";

type Provider = Schemas["Provider"];

const SIGN_INS: Record<Provider["authType"], string> = {
  apiKey: "an API key",
  basic: "user name and password",
  custom: "its own credentials",
  jwt: "a signed token",
  none: "nothing",
  oauth2: "OAuth 2",
};

export const signInWords = ({
  authType,
  awsSignature,
}: Pick<Provider, "authType" | "awsSignature">): string =>
  awsSignature ? "an access key that signs requests" : SIGN_INS[authType];

/** "read, write, delete, proxy" */
export function describeAbilities({ support }: Pick<Provider, "support">): string {
  const abilities = ["read", "write", "delete", "subscribe", "proxy"] as const;
  return abilities.filter((name) => support[name]).join(", ") || "nothing";
}
