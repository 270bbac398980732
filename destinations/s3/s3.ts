/** Amazon S3 and compatible services: one object per message, with a key from a template. */
import { createHash } from "node:crypto";
import type { S3Client, StorageClass } from "@aws-sdk/client-s3";
import { Type } from "typebox";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import {
  AWS_CONFIG,
  AWS_SECRETS,
  buildAwsOptions,
  toAwsOutcome,
  checkAws,
} from "../../destination-kit/aws.ts";
import { defineDestination, type Message } from "../../destination-kit/destination.ts";
import { cutExcerpt } from "../../destination-kit/http-outcome.ts";
import { checkTemplate, openTemplate } from "../../destination-kit/template.ts";

const STORAGE_CLASSES = [
  "STANDARD",
  "STANDARD_IA",
  "ONEZONE_IA",
  "INTELLIGENT_TIERING",
  "GLACIER",
  "GLACIER_IR",
  "DEEP_ARCHIVE",
] as const satisfies StorageClass[];

const SAMPLE_TIME = new Date(0);

export const s3 = defineDestination({
  type: "s3",
  label: "Amazon S3",
  description: "One object per message, in S3 or a compatible service; a template names the key.",
  config: Type.Object({
    bucket: Type.String({ pattern: "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$" }),
    ...AWS_CONFIG,
    keyTemplate: Type.Optional(
      Type.String({
        description:
          "JMESPath over `metadata`, `time` and `data`, for example " +
          "`join('/', [metadata.topic, time.date, metadata.\"event-id\"])`; `<timestamp>_<message id>.json` without it.",
      }),
    ),
    storageClass: Type.Optional(Type.Enum([...STORAGE_CLASSES], { description: "Default STANDARD." })),
  }),
  secrets: Type.Object(AWS_SECRETS),
  check: ({ config, secrets }, network) => [
    ...checkAws(config, secrets, network),
    ...(config.keyTemplate === undefined
      ? []
      : checkTemplate("metadata.keyTemplate", config.keyTemplate, {
          metadata: {},
          time: formatTimeParts(SAMPLE_TIME),
          data: {},
        })),
  ],
  open({ config, secrets }, network) {
    const readObjectKey = config.keyTemplate === undefined ? undefined : openTemplate(config.keyTemplate);
    let client: Promise<S3Client> | undefined;
    const load = async () => {
      // Loaded with the first message: most installations never need it.
      const { S3Client } = await import("@aws-sdk/client-s3");
      return new S3Client({
        ...buildAwsOptions({ config, secrets }, network),
        // Compatible services rarely support host names per bucket or the newer checksums.
        forcePathStyle: config.endpointUrl !== undefined,
        requestChecksumCalculation: "WHEN_REQUIRED",
        responseChecksumValidation: "WHEN_REQUIRED",
        // The egress guard sends head and body together and does not wait for the answer to `Expect`.
        expectContinueHeader: false,
      });
    };
    return {
      async deliver(message) {
        const { PutObjectCommand } = await import("@aws-sdk/client-s3");
        const data: Json = JSON.parse(message.data);
        const metadata = buildMetadata(message, data);
        const time = formatTimeParts(message.time);
        const made = readObjectKey?.({ metadata, time, data });
        const key = made !== undefined && isKey(made) ? made : `${metadata["timestamp"]}_${message.id}.json`;
        const body = Buffer.from(message.data);
        try {
          client ??= load();
          const put = new PutObjectCommand({
            Bucket: config.bucket,
            Key: key,
            Body: body,
            // Required by buckets that lock their objects.
            ContentMD5: createHash("md5").update(body).digest("base64"),
            ContentType: "application/json",
            StorageClass: config.storageClass ?? "STANDARD",
            Metadata: asHeaders(metadata),
          });
          const answer = await (await client).send(put);
          return {
            kind: "delivered",
            status: answer.$metadata.httpStatusCode ?? 200,
            answer: cutExcerpt(key),
          };
        } catch (error) {
          return toAwsOutcome(error);
        }
      },
      async close() {
        (await client)?.destroy();
      },
    };
  },
});

const MAX_KEY_BYTES = 1_024;

/** Returns whether a key is valid in S3 and in an address, where the segments `.` and `..` could lead elsewhere. */
const isKey = (text: string): boolean =>
  Buffer.byteLength(text) <= MAX_KEY_BYTES &&
  text.isWellFormed() &&
  !text.split("/").some((step) => step === "." || step === "..");

/** Members of the data that name its owner. */
const OWNERS = ["installationId", "connectionId", "operationId", "objectName"];

/** Returns the object's metadata, which templates can use as `metadata`. */
function buildMetadata(message: Message, data: Json): Record<string, string> {
  const owners = OWNERS.flatMap((name) => {
    const value = isJsonObject(data) ? data[name] : undefined;
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return {
    projectId: message.projectId,
    destinationId: message.destinationId,
    ...Object.fromEntries(owners),
    "event-id": message.id,
    timestamp: message.time.toISOString(),
    topic: message.topic,
  };
}

/** S3 accepts 2 KB of metadata with its names: enough for four members of the data and five short values of ours. */
const MAX_VALUE_LENGTH = 400;

const asHeaders = (metadata: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, asHeader(value)]));

/** Percent-encodes everything but ASCII for a header value, and cuts a long one between characters. */
function asHeader(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value.slice(0, MAX_VALUE_LENGTH);
  let text = "";
  for (const char of value.toWellFormed()) {
    const longer = text + encodeURIComponent(char);
    if (longer.length > MAX_VALUE_LENGTH) break;
    text = longer;
  }
  return text;
}

/** Splits the time of an event (UTC) into texts that a template can join. */
function formatTimeParts(time: Date): JsonObject {
  const text = time.toISOString();
  const seconds = text.slice(0, 19);
  return {
    year: text.slice(0, 4),
    month: text.slice(5, 7),
    day: text.slice(8, 10),
    hour: text.slice(11, 13),
    minute: text.slice(14, 16),
    second: text.slice(17, 19),
    date: text.slice(0, 10),
    datetime: seconds,
    unix: String(Math.floor(time.getTime() / 1000)),
    rfc3339: `${seconds}Z`,
    rfc3339_nano: `${seconds}.${text.slice(20, 23)}000000Z`,
  };
}
