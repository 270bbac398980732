/** Reads from a provider's catalog entry whether it uses a consent page, or which credentials it takes. */
import { objectsAt, textAt, valueAt, type JsonObject } from "../http/json.ts";

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

const secret = (name: string, label: string): Input => ({ name, label, secret: true });
const plainInput = (name: string, label: string): Input => ({ name, label, secret: false });

const CLIENT = [plainInput("clientId", "Client id"), secret("clientSecret", "Client secret")];
const PERSON = [plainInput("username", "User name"), secret("password", "Password")];
const ACCESS_KEY = [plainInput("username", "Access key ID"), secret("password", "Secret access key")];

export function findNeeds(provider: JsonObject): Needs {
  const authType = textAt(provider, "authType");
  if (authType === "none") return { kind: "nothing" };
  if (authType === "oauth2") return grantNeeds(textAt(provider, "oauth2Opts.grantType"));
  const keyAsBasic = authType === "basic" && valueAt(provider, "basicOpts.apiKeyAsBasic") === true;
  if (authType === "apiKey" || keyAsBasic)
    return { kind: "credentials", member: "apiKey", inputs: secret("apiKey", "API key") };
  if (authType === "basic") {
    const inputs = valueAt(provider, "awsSignature") === undefined ? PERSON : ACCESS_KEY;
    return { kind: "credentials", member: "basicAuth", inputs };
  }
  const inputs = objectsAt(provider, "customOpts.inputs").map((input) => ({
    ...toInput(input),
    secret:
      textAt(input, "fieldType") !== "fieldTypeText" && textAt(input, "fieldType") !== "fieldTypeSelect",
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
  objectsAt(provider, "metadata.input")
    .filter((input) => valueAt(input, "moduleDependencies") === undefined)
    .map(toInput);

function toInput(input: JsonObject): Input {
  const name = textAt(input, "name") ?? "";
  const otherwise = textAt(input, "defaultValue");
  const label = textAt(input, "displayName") ?? name;
  return { name, label, secret: false, ...(otherwise !== undefined && { otherwise }) };
}
