/** Slack: a sentence and the raw payload, posted to an incoming webhook. */
import { Type } from "typebox";
import type { Fault } from "../kit/destination.ts";
import { defineDestination } from "../kit/destination.ts";
import { httpOutcome } from "../kit/http-outcome.ts";
import { sentenceFor } from "./sentences.ts";

/** Slack cuts a text at 40,000 characters and folds it long before. */
const MAX_RAW_LENGTH = 16_000;
const HOST = "hooks.slack.com";

export const slack = defineDestination({
  type: "slack",
  label: "Slack",
  config: Type.Object({
    url: Type.String({ maxLength: 2_048, description: `An incoming webhook on ${HOST}.` }),
  }),
  secrets: Type.Object({}),
  check: ({ config }) => checkAddress(config.url),
  open({ config }, world) {
    const url = new URL(config.url);
    return {
      async deliver(message) {
        const raw = JSON.stringify(JSON.parse(message.data), null, 2);
        const shown = raw.length > MAX_RAW_LENGTH ? `${raw.slice(0, MAX_RAW_LENGTH)}…` : raw;
        const text = `${escaped(sentenceFor(message.topic, message.data))}\n\`\`\`\n${escaped(shown)}\n\`\`\``;
        const body = JSON.stringify({ text });
        return httpOutcome(
          await world.send({ url, method: "POST", headers: { "content-type": "application/json" }, body }),
        );
      },
      close: async () => {},
    };
  },
});

function checkAddress(text: string): Fault[] {
  const url = URL.parse(text);
  if (url?.protocol === "https:" && url.hostname === HOST && !url.port && !url.username) return [];
  return [{ name: "metadata.url", detail: `must be the https:// address of an incoming webhook on ${HOST}` }];
}

/** Slack's three special characters. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
