/** Webhooks: one signed POST per message, after the Standard Webhooks specification. */
import { Type, type Static } from "typebox";
import { nowMs } from "../../ground/clock.ts";
import { checkUrl } from "../../destination-kit/check-url.ts";
import { defineDestination, type Fault } from "../../destination-kit/destination.ts";
import { toHttpOutcome } from "../../destination-kit/http-outcome.ts";
import { buildMessageBody } from "../../destination-kit/message-body.ts";
import { openSigner, buildSignatureHeaders } from "./sign.ts";

const ConfigSchema = Type.Object({
  url: Type.String({ maxLength: 2_048, description: "Address that messages are posted to; https only." }),
  headers: Type.Optional(
    Type.Union([
      Type.Record(Type.String(), Type.String({ maxLength: 4_096 }), { maxProperties: 50 }),
      Type.Null(),
    ]),
  ),
});

/** Documented limit for receivers: the size of a whole message. */
const MAX_MESSAGE_BYTES = 300_000;

export const webhook = defineDestination({
  type: "webhook",
  label: "Webhook",
  description: "Posts each message as signed JSON to an address, as Standard Webhooks specifies.",
  config: ConfigSchema,
  secrets: Type.Object({}),
  signs: true,
  paced: true,
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: ({ config }, network) => [
    ...checkUrl("metadata.url", config.url, network),
    ...checkHeaders(config.headers ?? {}),
  ],
  buildRequest: (message, { url, headers }) => ({
    method: "POST",
    url,
    headers: {
      ...headers,
      ...FIXED_HEADERS,
      ...buildSignatureHeaders(
        message.id,
        headers["webhook-timestamp"] ?? "",
        headers["webhook-signature"] ?? "",
      ),
    },
    body: buildMessageBody(message),
  }),
  open({ config, signingKeys }, network) {
    const url = new URL(config.url);
    const sign = openSigner(signingKeys);
    const own = lowerNames(config.headers ?? {});
    const headers = { ...own, ...FIXED_HEADERS };
    const hidden = Object.fromEntries(Object.keys(own).map((name) => [name, "…"]));
    return {
      async deliver(message) {
        // Encoded once: signature and client would each encode a text for themselves.
        const body = Buffer.from(buildMessageBody(message));
        const signed = sign(message.id, Math.floor(nowMs() / 1000), body);
        const trace: Record<string, string> =
          message.traceparent === undefined ? {} : { traceparent: message.traceparent };
        const request = { url, method: "POST", headers: { ...headers, ...signed, ...trace }, body };
        const kept = ["webhook-timestamp", "webhook-signature"].map((name) => [name, signed[name] ?? ""]);
        const sent = { url: config.url, headers: { ...hidden, ...Object.fromEntries(kept), ...trace } };
        return { ...toHttpOutcome(await network.send(request)), sent };
      },
      close: async () => {},
    };
  },
});

const FIXED_HEADERS = { "content-type": "application/json", "user-agent": "Busbar-Webhooks/1" };

/** Headers that frame the message, name its host or sign it; setting them would allow forgery. */
const RESERVED =
  /^(host|content-length|content-type|content-encoding|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|user-agent|svix-.*|webhook-.*)$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
// oxlint-disable-next-line no-control-regex
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function checkHeaders(headers: NonNullable<Static<typeof ConfigSchema>["headers"]>): Fault[] {
  return Object.entries(headers).flatMap(([header, value]) => {
    const name = `metadata.headers.${header}`;
    if (!TOKEN.test(header)) return [{ name, detail: "is not a possible header name" }];
    if (RESERVED.test(header)) return [{ name, detail: "is set by Busbar and cannot be replaced" }];
    if (!VALUE.test(value)) return [{ name, detail: "must be printable Latin-1 text on one line" }];
    return [];
  });
}

const lowerNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
