/** Slack: a sentence and the raw payload of an event, or the text of a data message, posted to an incoming webhook. */
import { Type } from "typebox";
import { COPIED, isCopied } from "../../destination-kit/check-url.ts";
import { defineDestination, type Fault, type Message } from "../../destination-kit/destination.ts";
import { toHttpOutcome } from "../../destination-kit/http-outcome.ts";
import { writeSentence } from "./sentences.ts";

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
