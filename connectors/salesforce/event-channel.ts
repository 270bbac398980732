/**
 * Selects the objects whose changes Salesforce reports: a custom channel of the connection and a member for each object,
 * through the Tooling API. A channel of our own can be removed without touching the selections of others.
 */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { requireObject } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { SelectedStream } from "../../connector-kit/stream-connector.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { describeObject } from "./describe.ts";
import { DATA } from "./request.ts";
import { checkStream, findIdAt } from "./stream-checks.ts";
import { endSentence } from "../../ground/sentences.ts";

const TOOLING = `${DATA}/tooling`;
const CHANNEL = "PlatformEventChannel";
const MEMBER = "PlatformEventChannelMember";
const IS_THERE = new Set(["DUPLICATE_DEVELOPER_NAME", "DUPLICATE_VALUE"]);

export async function select(
  { ref, objectName }: { ref: string; objectName: string },
  fetch: ProviderFetch,
): Promise<SelectedStream> {
  const { name } = await describeObject(objectName, fetch);
  const { accountRef, userId } = await identifyUser(fetch);
  const warnings = await checkStream({ objectName: name, userId }, fetch);
  const channel = await ensureChannel(ref, fetch);
  const selectedEntity = toEventName(name);
  await create(
    MEMBER,
    { FullName: toMemberName(ref, selectedEntity), Metadata: { eventChannel: channel, selectedEntity } },
    fetch,
  );
  return { topic: `/data/${channel}`, accountRef, warnings };
}

export async function deselect(
  { ref, objectKeys }: { ref: string; objectKeys: string[] },
  fetch: ProviderFetch,
): Promise<void> {
  const kept = new Set(objectKeys.map((key) => toMemberName(ref, toEventName(key)).toLowerCase()));
  const prefix = `${ref}_chn_`.toLowerCase();
  for (const member of await list(MEMBER, fetch)) {
    const name = getTextAt(member, "DeveloperName")?.toLowerCase() ?? "";
    if (name.startsWith(prefix) && !kept.has(name))
      await remove(MEMBER, getTextAt(member, "Id") ?? "", fetch);
  }
  if (kept.size > 0) return;
  const id = await findChannelId(ref, fetch);
  if (id !== undefined) await remove(CHANNEL, id, fetch);
}

/** The event of `Account` is `AccountChangeEvent`, of `Machine__c` it is `Machine__ChangeEvent`. */
const toEventName = (objectName: string): string => `${objectName.replace(/__c$/i, "__")}ChangeEvent`;

/** Two underscores in a row are refused. */
const toMemberName = (ref: string, event: string): string => `${ref}_chn_${event.replace(/__/g, "_")}`;

export const findOrganization = async (fetch: ProviderFetch): Promise<string> =>
  (await identifyUser(fetch)).accountRef;

/** Returns the organisation and the connected user. */
async function identifyUser(
  fetch: ProviderFetch,
): Promise<{ accountRef: string; userId: string | undefined }> {
  const body = await sendAndRead(
    { method: "GET", path: "/services/oauth2/userinfo", repeatable: true },
    fetch,
  );
  const answer = requireObject(body, "the answer");
  const accountRef = getTextAt(answer, "organization_id");
  if (accountRef !== undefined) return { accountRef, userId: findIdAt(answer, "user_id") };
  throw new ProviderError({ kind: "unreadable", message: "Salesforce's answer has no `organization_id`" });
}

/** Returns the name as Salesforce has it: an organisation with a namespace puts that in front. */
async function ensureChannel(ref: string, fetch: ProviderFetch): Promise<string> {
  const own = `${ref}__chn`;
  const made = await create(
    CHANNEL,
    { FullName: own, Metadata: { channelType: "data", label: `Busbar ${ref}` } },
    fetch,
  );
  const id = made ?? (await findChannelId(ref, fetch));
  if (id === undefined) return own;
  const body = await sendAndRead(
    { method: "GET", path: `${TOOLING}/sobjects/${CHANNEL}/${id}`, repeatable: true },
    fetch,
  );
  return getTextAt(requireObject(body, "the channel"), "FullName") ?? own;
}

async function findChannelId(ref: string, fetch: ProviderFetch): Promise<string | undefined> {
  const channels = await list(CHANNEL, fetch);
  const own = channels.find(
    (channel) => getTextAt(channel, "DeveloperName")?.toLowerCase() === ref.toLowerCase(),
  );
  return own && getTextAt(own, "Id");
}

/** Returns the id; undefined if there is one of that name. */
async function create(what: string, body: JsonObject, fetch: ProviderFetch): Promise<string | undefined> {
  const path = `${TOOLING}/sobjects/${what}`;
  // Sent again, it finds what the first one made.
  const answer = await send({ method: "POST", path, body, repeatable: true }, fetch, classify);
  if (!answer.error) return getTextAt(requireObject(answer.body, "the answer"), "id");
  if (answer.error.code !== undefined && IS_THERE.has(answer.error.code)) return undefined;
  throw withRemedy(answer.error);
}

function withRemedy(error: ProviderError): ProviderError {
  const remedy = findRemedy(error);
  if (remedy === undefined) return error;
  const { code, status, rawResponse } = error;
  const message = `${endSentence(error.message)} ${remedy}`;
  return new ProviderError({ kind: "forbidden", message, code, status, rawResponse, cause: error });
}

/** Salesforce documents no code for a full allocation of entities, so the text decides. */
function findRemedy({ kind, code, message }: ProviderError): string | undefined {
  if (kind === "forbidden" || code === "INSUFFICIENT_ACCESS")
    return "The connected user needs the permission Customize Application to select objects for Change Data Capture.";
  if (/maximum number|limit/i.test(`${code} ${message}`))
    return "Deselect another object for Change Data Capture in Salesforce's Setup, or extend the allocation at Salesforce.";
  if (kind === "invalid")
    return "Salesforce may have no change events for the object: its list of objects for Change Data Capture tells.";
  return undefined;
}

async function list(what: string, fetch: ProviderFetch): Promise<JsonObject[]> {
  const query = encodeURIComponent(`SELECT Id, DeveloperName FROM ${what}`);
  const body = await sendAndRead(
    { method: "GET", path: `${TOOLING}/query?q=${query}`, repeatable: true },
    fetch,
  );
  const { records } = requireObject(body, "the answer");
  return Array.isArray(records) ? records.filter(isJsonObject) : [];
}

async function remove(what: string, id: string, fetch: ProviderFetch): Promise<void> {
  const path = `${TOOLING}/sobjects/${what}/${encodeURIComponent(id)}`;
  const { error } = await send({ method: "DELETE", path, repeatable: true }, fetch, classify);
  if (error && error.kind !== "not_found") throw error;
}

async function sendAndRead(request: ProviderRequest, fetch: ProviderFetch): Promise<Json | undefined> {
  const answer = await send(request, fetch, classify);
  if (answer.error) throw answer.error;
  return answer.body;
}
