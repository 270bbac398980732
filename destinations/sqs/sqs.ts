/** Amazon SQS: one queue message per message. */
import type { SQSClient } from "@aws-sdk/client-sqs";
import { Type } from "typebox";
import {
  AWS_CONFIG,
  AWS_SECRETS,
  buildAwsOptions,
  toAwsOutcome,
  checkAws,
} from "../../destination-kit/aws.ts";
import { checkUrl } from "../../destination-kit/check-url.ts";
import { defineDestination, type Fault } from "../../destination-kit/destination.ts";
import { cutExcerpt } from "../../destination-kit/http-outcome.ts";

/** The limit that every queue has at least. */
const MAX_MESSAGE_BYTES = 256 * 1024;

export const sqs = defineDestination({
  type: "sqs",
  label: "Amazon SQS",
  description: "One message of a queue per message.",
  config: Type.Object({
    queueUrl: Type.String({ maxLength: 2_048 }),
    region: Type.Optional(AWS_CONFIG.region),
    endpointUrl: AWS_CONFIG.endpointUrl,
  }),
  secrets: Type.Object(AWS_SECRETS),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: ({ config, secrets }, network) => [
    ...checkUrl("metadata.queueUrl", config.queueUrl, network),
    ...checkAws(config, secrets, network),
    ...(findRegion(config.queueUrl, config.region) === undefined ? [NO_REGION] : []),
  ],
  open({ config, secrets }, network) {
    const { queueUrl } = config;
    const endpointUrl = config.endpointUrl ?? new URL(queueUrl).origin;
    const region = findRegion(queueUrl, config.region) ?? "";
    const isFifo = queueUrl.endsWith(".fifo");
    let client: Promise<SQSClient> | undefined;
    const load = async () => {
      // Loaded with the first message: most installations never need it.
      const { SQSClient } = await import("@aws-sdk/client-sqs");
      const options = buildAwsOptions({ config: { region, endpointUrl }, secrets }, network);
      return new SQSClient({ ...options, md5: false, useQueueUrlAsEndpoint: false });
    };
    return {
      async deliver(message) {
        const { SendMessageCommand } = await import("@aws-sdk/client-sqs");
        const send = new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: withoutNoncharacters(message.data),
          MessageAttributes: {
            topic: { DataType: "String", StringValue: message.topic },
            "event-id": { DataType: "String", StringValue: message.id },
          },
          // The queue then drops a repeated attempt.
          ...(isFifo && { MessageDeduplicationId: message.id, MessageGroupId: message.topic }),
        });
        try {
          client ??= load();
          const { MessageId, $metadata } = await (await client).send(send);
          const status = $metadata.httpStatusCode ?? 200;
          if (MessageId === undefined) return { kind: "failed", status, error: NO_ID };
          return { kind: "delivered", status, answer: cutExcerpt(`message ${MessageId}`) };
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

const NO_ID = "the receiver answered without the id of a message: it is not SQS";

const NO_REGION: Fault = {
  name: "metadata.region",
  detail: "is missing, and `metadata.queueUrl` does not tell it",
};

/** Amazon's host names for queues, including FIPS, private networks, dual stack and China. */
const QUEUE =
  /^https:\/\/(?:[a-z0-9-]+\.)?sqs(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)\//;

/** Returns the region as entered, or that of an address such as https://sqs.eu-west-1.amazonaws.com/1/queue. */
const findRegion = (queueUrl: string, region: string | undefined): string | undefined =>
  region ?? QUEUE.exec(queueUrl)?.[1];

/**
 * Escapes the two characters that are allowed in JSON but not in a queue message
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html).
 */
const withoutNoncharacters = (json: string): string =>
  json.replaceAll("\ufffe", "\\ufffe").replaceAll("\uffff", "\\uffff");
