/** Slack: a sentence and the raw payload of an event, or the text of a data message, posted to an incoming webhook. */
import { Type } from "typebox";
import { COPIED, isCopied } from "../../destination-kit/check-url.ts";
import { defineDestination, type Fault, type Message } from "../../destination-kit/destination.ts";
import { toHttpOutcome } from "../../destination-kit/http-outcome.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

/** Slack cuts a text at 40,000 characters, escapes included, and collapses it long before. */
const MAX_RAW_LENGTH = 16_000;
const HOST = "hooks.slack.com";

export const slack = defineDestination({
  type: "slack",
  label: "Slack",
  description: "Posts a sentence and the raw event to an incoming webhook of a channel.",
  config: Type.Object({
    url: Type.String({ maxLength: 2_048, description: `An incoming webhook on ${HOST}.` }),
  }),
  secrets: Type.Object({}),
  check: ({ config }) => checkAddress(config.url),
  buildRequest: (message, { url, headers }) => ({
    method: "POST",
    url,
    headers: { ...headers, ...HEADERS },
    body: buildBody(message),
  }),
  open({ config }, network) {
    const url = new URL(config.url);
    return {
      async deliver(message) {
        const request = { url, method: "POST", headers: HEADERS, body: buildBody(message) };
        const outcome = toHttpOutcome(await network.send(request));
        const sent = { url: config.url, headers: {} };
        // 410 means an archived channel, which may be restored.
        return { ...outcome, kind: outcome.kind === "gone" ? "failed" : outcome.kind, sent };
      },
      close: async () => {},
    };
  },
});

const HEADERS = { "content-type": "application/json" };

const buildBody = (message: Message): string => JSON.stringify({ text: describeMessage(message) });

/** Describes an event; a data message is its JSON text. */
function describeMessage({ kind, topic, data }: Message): string {
  if (kind === "data") return cut(escape(data));
  const raw = JSON.stringify(JSON.parse(data), null, 2);
  return `${escape(writeSentence(topic, data))}\n\`\`\`\n${cut(escape(raw))}\n\`\`\``;
}

function checkAddress(text: string): Fault[] {
  if (isCopied(text)) return [{ name: "metadata.url", detail: COPIED }];
  const url = URL.parse(text);
  // Compares the whole origin, so that no port, user name or password is accepted.
  if (url && url.href.startsWith(`https://${HOST}/`) && url.pathname !== "/") return [];
  return [{ name: "metadata.url", detail: `must be the https:// address of an incoming webhook on ${HOST}` }];
}

/** Cuts a text, never within an escape or a character. */
const cut = (text: string): string =>
  text.length <= MAX_RAW_LENGTH
    ? text
    : `${text.slice(0, MAX_RAW_LENGTH).replace(/(&[a-z]*|[\ud800-\udbff])$/, "")}…`;

/** Escapes Slack's three special characters. */
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

type Names = (member: string) => string;

/** Returns what changes, field by field, so that whoever decides need not read the payload. */
function changeIn({ before, after, arguments: sent }: JsonObject): string {
  const values = (value: Json | undefined) => (isJsonObject(value) ? value : {});
  const [old, wanted] = [values(before), values(after)];
  const show = (value: Json | undefined) => shorten(value === undefined ? "nothing" : JSON.stringify(value));
  if (!isJsonObject(after))
    return before === undefined ? shorten(JSON.stringify(sent)) : shorten(JSON.stringify(old));
  const lines = Object.entries(wanted).map(([field, value]) =>
    before === undefined ? `${field}: ${show(value)}` : `${field}: ${show(old[field])} → ${show(value)}`,
  );
  const more = lines.length > MAX_FIELDS ? [`and ${lines.length - MAX_FIELDS} more fields`] : [];
  return [...lines.slice(0, MAX_FIELDS), ...more].join("\n");
}

const MAX_FIELDS = 20;
const shorten = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;

/** `update_record` of contact 101 for acme. */
function describeAct(name: Names): string {
  const object = [name("approval.object"), name("approval.recordId")]
    .filter((part) => part !== "?")
    .join(" ");
  const group = name("approval.groupRef");
  return `${name("approval.tool")}${object && ` of ${object}`}${group === "?" ? "" : ` for ${group}`}`;
}

const joinReasons = (reasons: Json | undefined): string =>
  (Array.isArray(reasons) ? reasons : [])
    .slice(0, MAX_FIELDS)
    .map((reason) =>
      isJsonObject(reason) ? `${reason["type"]} ${reason["name"]}: ${shorten(String(reason["detail"]))}` : "",
    )
    .join("\n");

const pickKnown = (name: Names, ...members: string[]): string =>
  members.map(name).find((value) => value !== "?") ?? "?";
const pickAgent = (name: Names): string =>
  pickKnown(name, "approval.actor.client", "approval.actor.name", "approval.actor.id");
const pickDecider = (name: Names): string =>
  pickKnown(name, "approval.decidedBy.name", "approval.decidedBy.id");

const SENTENCES: Record<string, (name: Names, data: JsonObject) => string> = {
  "installation.created": (name) =>
    `:tada: ${name("groupName")} installed ${name("integrationName")} (${name("provider")})`,
  "installation.updated": (name) =>
    `:pencil2: ${name("groupName")} changed the settings of ${name("integrationName")} (${name("provider")})`,
  "installation.deleted": (name) =>
    `:wave: ${name("groupName")} uninstalled ${name("integrationName")} (${name("provider")})`,
  "read.backfill.done": (name) =>
    `:white_check_mark: The backfill of ${name("objectName")} of ${name("groupName")} is complete`,
  "read.schedule.paused": (name) =>
    `:pause_button: Scheduled reads of ${name("groupName")} in ${name("integrationName")} are paused: ${name("error")}`,
  "read.triggered.done": (name) =>
    `:white_check_mark: The triggered read of ${name("objectName")} of ${name("groupName")} is complete`,
  "read.triggered.error": (name) =>
    `:x: The triggered read of ${name("objectName")} of ${name("groupName")} failed: ${name("error")}`,
  "write.async.done": (name) =>
    name("success") === "true"
      ? `:white_check_mark: A write of ${name("objectName")} for ${name("groupName")} is complete`
      : `:x: A write of ${name("objectName")} for ${name("groupName")} failed at least in part`,
  "subscribe.create.error": (name) =>
    `:x: ${name("integrationName")} could not subscribe for ${name("groupName")}: ${name("error")}`,
  "connection.created": (name) => `:link: ${name("consumerName")} connected ${name("provider")}`,
  "connection.refreshed": (name) =>
    `:arrows_counterclockwise: The access of ${name("consumerName")} to ${name("provider")} was refreshed`,
  "connection.updated": (name) =>
    `:pencil2: The connection of ${name("consumerName")} to ${name("provider")} was updated`,
  "connection.deleted": (name) =>
    `:wastebasket: The connection of ${name("consumerName")} to ${name("provider")} was deleted`,
  "connection.error": (name) =>
    `:x: The connection of ${name("consumerName")} to ${name("provider")} has trouble`,
  "destination.webhook.disabled": (name) =>
    `:no_entry: The webhook ${name("destinationName")} (${name("url")}) is disabled`,
  "installation.health.changed": (name, { healthReasons }) =>
    name("healthStatus") === "healthy"
      ? `:white_check_mark: ${name("integrationName")} of ${name("groupName")} is healthy again`
      : `:warning: ${name("integrationName")} of ${name("groupName")} is not healthy: ${joinReasons(healthReasons)}`,
  "agent.approval.requested": (name, { approval }) =>
    `:raised_hand: The agent ${pickAgent(name)} asks for a decision: ${describeAct(name)}${isJsonObject(approval) ? `\n${changeIn(approval)}` : ""}`,
  "agent.approval.decided": (name) =>
    `${name("approval.status") === "approved" ? ":white_check_mark: Approved" : ":no_entry_sign: Rejected"} by ${pickDecider(name)}: ${describeAct(name)}`,
};

/** Returns the sentence for an event with this JSON text as data; the type's name if it has no sentence. */
export function writeSentence(topic: string, data: string): string {
  const parsed: Json = JSON.parse(data);
  const members = isJsonObject(parsed) ? parsed : {};
  const name: Names = (member) => {
    const value = member
      .split(".")
      .reduce<Json | undefined>((inner, step) => (isJsonObject(inner) ? inner[step] : undefined), members);
    return value === undefined || value === null ? "?" : String(value);
  };
  return SENTENCES[topic]?.(name, members) ?? topic;
}
