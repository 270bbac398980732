/** Reads the credentials of a probe: JSON from a file or the environment, never from the command line. */
import type { Credentials } from "../../connector-kit/provider/authorization.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

export interface ProbeCredentials {
  credentials: Credentials;
  /** Values of the provider's address and fixed headers, by name. */
  metadata: Record<string, string>;
  /** Texts that no report may show. */
  secrets: string[];
}

/** Returns the credentials, or what is wrong with them. */
export function readProbeCredentials({ name }: ProviderInfo, text: string): ProbeCredentials | string {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return "The credentials are not JSON.";
  }
  if (!isJsonObject(value)) return "The credentials are not a JSON object.";
  const credentials = readCredentials(value);
  if (!credentials)
    return `The credentials for ${name} have none of accessToken, apiKey, username with password, and custom.`;
  const { type: _, ...secret } = credentials;
  return { credentials, metadata: listTexts(value.metadata), secrets: listSecrets(secret) };
}

function readCredentials(value: JsonObject): Credentials | undefined {
  const { accessToken, apiKey, username, password, custom } = value;
  if (typeof accessToken === "string") return { type: "oauth2", accessToken };
  if (typeof apiKey === "string") return { type: "apiKey", key: apiKey };
  if (typeof username === "string" && typeof password === "string")
    return { type: "basic", username, password };
  return isJsonObject(custom) ? { type: "custom", values: listTexts(custom) } : undefined;
}

const listTexts = (value: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, text]) =>
      typeof text === "string" ? [[name, text]] : [],
    ),
  );

/** Returns every text of the credentials, and the encoded pair of HTTP Basic. */
function listSecrets(secret: object): string[] {
  const texts = Object.values(secret).flatMap((value) =>
    typeof value === "string" ? [value] : Object.values(listTexts(value)),
  );
  const encoded = [texts.join(":"), `${texts[0]}:`, `:${texts[0]}`].map((pair) =>
    Buffer.from(pair, "utf8").toString("base64"),
  );
  return [...texts, ...texts.map((text) => encodeURIComponent(text)), ...encoded].filter(
    ({ length }) => length > 3,
  );
}
