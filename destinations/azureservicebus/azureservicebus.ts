/** Azure Service Bus: one message per message, sent by its REST API to a queue or topic. */
import { createHmac } from "node:crypto";
import { Type } from "typebox";
import { nowMs } from "../../ground/clock.ts";
import { checkUrl } from "../../destination-kit/check-url.ts";
import {
  defineDestination,
  type AddressRules,
  type Exchange,
  type Fault,
  type Outcome,
} from "../../destination-kit/destination.ts";
import { toHttpOutcome } from "../../destination-kit/http-outcome.ts";

/** The limit of the cheapest namespaces, minus the headers. */
const MAX_MESSAGE_BYTES = 250_000;

export const azureservicebus = defineDestination({
  type: "azureservicebus",
  label: "Azure Service Bus",
  description: "One message of a queue or topic per message, sent by the REST API of Azure Service Bus.",
  config: Type.Object({
    name: Type.String({
      pattern: "^[A-Za-z0-9]([A-Za-z0-9._/-]{0,258}[A-Za-z0-9])?$",
      description: "Name of the queue or topic.",
    }),
  }),
  secrets: Type.Object({
    connectionString: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: "With a key that may send: `Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…`.",
    }),
  }),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: ({ config, secrets }, network) => checkAccess(config.name, secrets.connectionString, network),
  open({ config: { name }, secrets: { connectionString } }, network) {
    const access = readAccess(connectionString);
    if (!access) throw new Error("secrets.connectionString is none");
    const url = new URL(`/${name}/messages`, access.endpoint);
    return {
      async deliver({ id, topic, data }) {
        const headers = {
          authorization: signToken(new URL(`/${name}`, access.endpoint).href, access),
          "content-type": "application/json",
          brokerproperties: JSON.stringify({ MessageId: id, Label: topic }),
          // Message properties are quoted texts.
          topic: JSON.stringify(topic),
          "event-id": JSON.stringify(id),
        };
        return readOutcome(await network.send({ url, method: "POST", headers, body: data }));
      },
      close: async () => {},
    };
  },
});

/** Reads the reason of a refusal: `<Error><Code>401</Code><Detail>…</Detail></Error>`. */
function readOutcome(exchange: Exchange): Outcome {
  const outcome = toHttpOutcome(exchange);
  const { kind, status, answer = "", overloaded } = outcome;
  if (kind === "delivered" || status === undefined) return outcome;
  // The documentation says 410, most namespaces answer 404. A queue or topic can be created again.
  const isMissing = status === 404 || status === 410;
  const why = isMissing ? "it has no queue or topic of this name" : /<Detail>([^<]+)/.exec(answer)?.[1];
  return {
    ...outcome,
    kind: "failed",
    ...(why && { error: `the namespace answered ${status}: ${why}` }),
    // 503 is how a namespace says: slower (https://learn.microsoft.com/azure/service-bus-messaging/service-bus-throttling).
    overloaded: overloaded || status === 503,
  };
}

interface Access {
  endpoint: URL;
  keyName: string;
  key: string;
  /** The only queue or topic that the key allows, if it is limited to one. */
  entity: string | undefined;
}

/** Parses a connection string: members separated by semicolons, names in any case. */
function readAccess(text: string): Access | undefined {
  const members = new Map(
    text.split(";").map((member) => {
      const at = member.indexOf("=");
      return [member.slice(0, at).trim().toLowerCase(), member.slice(at + 1).trim()] as const;
    }),
  );
  const endpoint = URL.parse((members.get("endpoint") ?? "").replace(/^sb:/i, "https:"));
  const keyName = members.get("sharedaccesskeyname");
  const key = members.get("sharedaccesskey");
  return endpoint && keyName && key
    ? { endpoint, keyName, key, entity: members.get("entitypath") }
    : undefined;
}

function checkAccess(name: string, text: string, network: AddressRules): Fault[] {
  const access = readAccess(text);
  if (!access) {
    const detail =
      "must have Endpoint, SharedAccessKeyName and SharedAccessKey, as the Azure portal shows it";
    return [{ name: "secrets.connectionString", detail }];
  }
  const { entity, endpoint } = access;
  if (entity !== undefined && entity !== name) {
    return [{ name: "metadata.name", detail: `is not ${entity}, which the connection string is for` }];
  }
  return checkUrl("secrets.connectionString", endpoint.href, network);
}

const LIFE_SECONDS = 300;

/**
 * Creates a shared access signature
 * (https://learn.microsoft.com/en-us/rest/api/eventhub/generate-sas-token): the key's text itself is the secret.
 */
function signToken(resource: string, { keyName, key }: Access): string {
  const encoded = encodeURIComponent(resource);
  const expiry = Math.floor(nowMs() / 1000) + LIFE_SECONDS;
  const signature = createHmac("sha256", key).update(`${encoded}\n${expiry}`).digest("base64");
  const name = encodeURIComponent(keyName);
  return `SharedAccessSignature sr=${encoded}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${name}`;
}
