/** The fields in which a person types credentials that are no OAuth consent, by the provider's way of authentication. */
import type { JSX } from "react";
import { PasswordInput, TextInput } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import type { Input } from "../../api/call.ts";

type Credentials = Pick<
  Input<"generateConnection">["body"],
  "apiKey" | "basicAuth" | "oauth2ClientCredentials" | "oauth2PasswordCredentials" | "customAuth"
>;

interface CredentialField {
  name: string;
  label: string;
  description?: string;
  isSecret: boolean;
}

type ConnectWay = "consent" | "credentials" | "severalSteps";

/** Returns how an account of this provider is connected. */
export function chooseConnectWay({ authType, oauth2Opts, customOpts }: Schemas["Provider"]): ConnectWay {
  if (authType === "oauth2" && oauth2Opts?.grantType.startsWith("authorizationCode")) return "consent";
  return customOpts?.multiStep ? "severalSteps" : "credentials";
}

const defineSecretField = (name: string, label: string): CredentialField => ({ name, label, isSecret: true });
const definePlainField = (name: string, label: string): CredentialField => ({ name, label, isSecret: false });

/** Some providers take an API key in the place of the user name. */
const takesKey = ({ authType, basicOpts }: Schemas["Provider"]): boolean =>
  authType === "apiKey" || (authType === "basic" && basicOpts?.apiKeyAsBasic === true);

function listCredentialFields(provider: Schemas["Provider"]): CredentialField[] {
  const { authType, oauth2Opts, customOpts } = provider;
  if (takesKey(provider)) return [defineSecretField("apiKey", "API key of the account")];
  if (authType === "basic" && provider.awsSignature)
    return [
      definePlainField("username", "Access key ID"),
      defineSecretField("password", "Secret access key"),
    ];
  if (authType === "basic")
    return [definePlainField("username", "User name"), defineSecretField("password", "Password")];
  if (authType === "custom")
    return (customOpts?.inputs ?? []).map(({ name, displayName, prompt, fieldType }) => ({
      name,
      label: displayName,
      ...(prompt !== undefined && { description: prompt }),
      isSecret: fieldType === "fieldTypePassword",
    }));
  if (authType !== "oauth2") return [];
  const client = [
    definePlainField("clientId", "Client id"),
    defineSecretField("clientSecret", "Client secret"),
  ];
  return oauth2Opts?.grantType === "password"
    ? [definePlainField("username", "User name"), defineSecretField("password", "Password"), ...client]
    : client;
}

/** Returns the member of the request with these values. */
export function buildCredentials(
  provider: Schemas["Provider"],
  values: Readonly<Record<string, string>>,
): Credentials {
  const { authType, oauth2Opts } = provider;
  const { apiKey = "", username = "", password = "", clientId = "", clientSecret = "" } = values;
  if (takesKey(provider)) return { apiKey };
  if (authType === "basic") return { basicAuth: { username, password } };
  if (authType === "custom") return { customAuth: { ...values } };
  if (authType !== "oauth2") return {};
  return oauth2Opts?.grantType === "password"
    ? { oauth2PasswordCredentials: { username, password, clientId, clientSecret } }
    : { oauth2ClientCredentials: { clientId, clientSecret } };
}

interface CredentialFieldsProps {
  provider: Schemas["Provider"];
  values: Readonly<Record<string, string>>;
  onValue: (name: string, value: string) => void;
}

export const CredentialFields = ({ provider, values, onValue }: CredentialFieldsProps): JSX.Element => (
  <>
    {listCredentialFields(provider).map(({ name, label, description, isSecret }) => {
      const Field = isSecret ? PasswordInput : TextInput;
      return (
        <Field
          key={name}
          label={label}
          description={description}
          value={values[name] ?? ""}
          onChange={(event) => onValue(name, event.currentTarget.value)}
          autoComplete="off"
          required
        />
      );
    })}
  </>
);
