/** Reads from a provider's catalog entry whether it uses a consent page, or which credentials it takes. */
import { listObjectsAt, getTextAt, getValueAt, type JsonObject } from "../http/json.ts";

/** A credential or a fact about the account. */
export interface Input {
  name: string;
  /** Shown in the prompt. */
  label: string;
  secret: boolean;
  otherwise?: string;
}

type Needs =
  | { kind: "consent" }
  | { kind: "nothing" }
  /** `member` is the request's member: a string for a single input, an object for a list. */
  | { kind: "credentials"; member: string; inputs: Input[] | Input };

const defineSecret = (name: string, label: string): Input => ({ name, label, secret: true });
const definePlainInput = (name: string, label: string): Input => ({ name, label, secret: false });

const CLIENT = [definePlainInput("clientId", "Client id"), defineSecret("clientSecret", "Client secret")];
const PERSON = [definePlainInput("username", "User name"), defineSecret("password", "Password")];
const ACCESS_KEY = [
  definePlainInput("username", "Access key ID"),
  defineSecret("password", "Secret access key"),
];

export function findNeeds(provider: JsonObject): Needs {
  const authType = getTextAt(provider, "authType");
  if (authType === "none") return { kind: "nothing" };
  if (authType === "oauth2") return grantNeeds(getTextAt(provider, "oauth2Opts.grantType"));
  const keyAsBasic = authType === "basic" && getValueAt(provider, "basicOpts.apiKeyAsBasic") === true;
  if (authType === "apiKey" || keyAsBasic)
    return { kind: "credentials", member: "apiKey", inputs: defineSecret("apiKey", "API key") };
  if (authType === "basic") {
    const inputs = getValueAt(provider, "awsSignature") === undefined ? PERSON : ACCESS_KEY;
    return { kind: "credentials", member: "basicAuth", inputs };
  }
  const inputs = listObjectsAt(provider, "customOpts.inputs").map((input) => ({
    ...toInput(input),
    secret:
      getTextAt(input, "fieldType") !== "fieldTypeText" &&
      getTextAt(input, "fieldType") !== "fieldTypeSelect",
  }));
  return { kind: "credentials", member: "customAuth", inputs };
}

function grantNeeds(grantType: string | undefined): Needs {
  if (grantType === "clientCredentials")
    return { kind: "credentials", member: "oauth2ClientCredentials", inputs: CLIENT };
  if (grantType === "password")
    return { kind: "credentials", member: "oauth2PasswordCredentials", inputs: [...PERSON, ...CLIENT] };
  return { kind: "consent" };
}

/** Returns the account metadata to ask for, without the inputs that only some modules need. */
export const listMetadataInputs = (provider: JsonObject): Input[] =>
  listObjectsAt(provider, "metadata.input")
    .filter((input) => getValueAt(input, "moduleDependencies") === undefined)
    .map(toInput);

function toInput(input: JsonObject): Input {
  const name = getTextAt(input, "name") ?? "";
  const otherwise = getTextAt(input, "defaultValue");
  const label = getTextAt(input, "displayName") ?? name;
  return { name, label, secret: false, ...(otherwise !== undefined && { otherwise }) };
}
