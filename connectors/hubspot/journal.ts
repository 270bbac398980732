/**
 * Reads HubSpot's webhooks journal, which needs no public address: entry point for journals. One journal has the changes of all
 * accounts that installed an app. https://developers.hubspot.com/docs/api-reference/latest/webhooks-journal/guide
 */
import { isTooLarge, listOrBroken, requireObject } from "../../connector-kit/calls/page-check.ts";
import type {
  JournalCalls,
  JournalConnector,
  JournalEntry,
  JournalObject,
  JournalSelection,
} from "../../connector-kit/journal-connector.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { LostPositionError, type StreamStart } from "../../connector-kit/stream-connector.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import type { ProviderEvent } from "../../connector-kit/subscribe-connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { classify } from "./classify.ts";
import { readJournalFile } from "./journal-event.ts";
import { buildInvalid } from "./request.ts";

const JOURNAL = "/webhooks-journal/journal/2026-03";
const SUBSCRIPTIONS = "/webhooks-journal/subscriptions/2026-03";

export const journal: JournalConnector = { tokenScopes: listTokenScopes, select, deselect, readNext };

function listTokenScopes(appScopes: readonly string[]): string[] {
  return [
    "developer.webhooks_journal.read",
    "developer.webhooks_journal.subscriptions.read",
    "developer.webhooks_journal.subscriptions.write",
    // Changes are reported of objects that the app may read. Scopes of sensitive data may end with a version, and tickets have an older name.
    ...appScopes.filter((scope) => /^(crm\.objects\..+\.read(\.v\d+)?|tickets(\..+)?)$/.test(scope)),
  ];
}

async function select(wanted: JournalSelection, fetch: ProviderFetch): Promise<void> {
  for (const body of listSubscriptions(wanted)) {
    // Replaces the one of the same type, account and object.
    const answer = await send(
      { method: "POST", path: SUBSCRIPTIONS, body, repeatable: true },
      fetch,
      classify,
    );
    if (answer.error && answer.error.kind !== "conflict") throw answer.error;
  }
}

/** Returns the subscriptions of an object. Throws `ProviderError` for an object that the journal cannot have. */
function listSubscriptions(wanted: JournalSelection): JsonObject[] {
  const { accountRef, objectKey, fields } = wanted;
  if (!/^\d+-\d+$/.test(objectKey))
    throw buildInvalid(`HubSpot's journal has no changes of \`${objectKey}\``);
  if (!/^[1-9]\d{0,14}$/.test(accountRef))
    throw buildInvalid(`"${accountRef}" is not the id of a HubSpot account`);
  const others = new Set(wanted.other.map((listed) => listed.split(".").at(-1)?.replace(/d$/, "")));
  const actions = [
    ...(wanted.create ? ["CREATE"] : []),
    ...(fields.length > 0 ? ["UPDATE"] : []),
    ...(wanted.delete ? ["DELETE"] : []),
    ...(others.has("merge") ? ["MERGE"] : []),
    ...(others.has("restore") ? ["RESTORE"] : []),
  ];
  const base = { portalId: Number(accountRef), objectTypeId: objectKey };
  const all: JsonObject[] = [];
  if (actions.length > 0) all.push({ subscriptionType: "OBJECT", ...base, actions, properties: fields });
  if (wanted.associationChange) {
    const both = ["ASSOCIATION_ADDED", "ASSOCIATION_REMOVED"];
    all.push({ subscriptionType: "ASSOCIATION", ...base, actions: both, associatedObjectTypeIds: [] });
  }
  if (wanted.delete && objectKey === CONTACT)
    all.push({ subscriptionType: "GDPR_PRIVACY_DELETION", ...base, actions: ["GDPR_DELETE"] });
  return all;
}

const CONTACT = "0-1";
const OURS = new Set(["OBJECT", "ASSOCIATION", "GDPR_PRIVACY_DELETION"]);

async function deselect(dropped: readonly JournalObject[], fetch: ProviderFetch): Promise<void> {
  const gone = new Set(dropped.map(({ accountRef, objectKey }) => `${accountRef} ${objectKey}`));
  const body = await sendAndRead({ method: "GET", path: SUBSCRIPTIONS, repeatable: true }, fetch);
  for (const one of listOrBroken(requireObject(body, "the answer").results, "`results`")) {
    if (!isJsonObject(one) || !OURS.has(getTextAt(one, "subscriptionType") ?? "")) continue;
    if (!gone.has(`${getTextAt(one, "portalId")} ${getTextAt(one, "objectTypeId")}`)) continue;
    const path = `${SUBSCRIPTIONS}/${encodeURIComponent(getTextAt(one, "id") ?? "")}`;
    const { error } = await send({ method: "DELETE", path, repeatable: true }, fetch, classify);
    if (error && error.kind !== "not_found") throw error;
  }
}

const NOTHING: JournalEntry = { events: [], gaps: [], position: Buffer.alloc(0), isLast: true };

async function readNext(from: StreamStart, { fetch, download }: JournalCalls): Promise<JournalEntry> {
  const place =
    from === "now"
      ? "latest"
      : from === "oldest"
        ? "earliest"
        : `offset/${encodeURIComponent(from.toString("utf8"))}/next`;
  const answer = await send(
    { method: "GET", path: `${JOURNAL}/${place}`, repeatable: true },
    fetch,
    classify,
  );
  if (answer.error) throw toLostPosition(from, answer.error);
  // 204: there is nothing (more).
  if (answer.body === undefined) return NOTHING;
  const offset = getTextAt(requireObject(answer.body, "the answer"), "currentOffset");
  const url = getTextAt(answer.body, "url");
  if (offset === undefined || url === undefined) {
    const message = "HubSpot's answer has no `currentOffset`, or no `url`";
    throw new ProviderError({ kind: "unreadable", message });
  }
  const position = Buffer.from(offset, "utf8");
  if (from === "now") return { ...NOTHING, position };
  const events = await readFile(url, offset, download);
  if (events) return { events, gaps: [], position, isLast: false };
  // A file that cannot be read would stop the journal for ever, so the records are read instead.
  const reason = `the file ${offset} of HubSpot's journal cannot be read`;
  return { events: [], gaps: [{ reason }], position, isLast: false };
}

function toLostPosition(from: StreamStart, error: ProviderError): ProviderError {
  if (typeof from === "string" || error.kind !== "not_found") return error;
  const message = `HubSpot's journal does not have the offset ${from.toString("utf8")} any more: it keeps three days`;
  return new LostPositionError({ kind: "invalid", message, status: error.status, cause: error });
}

async function readFile(
  url: string,
  offset: string,
  download: JournalCalls["download"],
): Promise<ProviderEvent[] | undefined> {
  try {
    return readJournalFile(await download(url), offset);
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

async function sendAndRead(request: ProviderRequest, fetch: ProviderFetch): Promise<Json | undefined> {
  const answer = await send(request, fetch, classify);
  if (answer.error) throw answer.error;
  return answer.body;
}
