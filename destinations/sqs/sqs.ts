/** Amazon SQS: one queue message per message. */
import type { SQSClient } from "@aws-sdk/client-sqs";
import { Type } from "typebox";
import { AWS_CONFIG, AWS_SECRETS, awsOptions, awsOutcome } from "../kit/aws.ts";
import { checkUrl } from "../kit/check-url.ts";
import { defineDestination, type Fault } from "../kit/destination.ts";

/** What every queue takes, whatever its own limit was raised to. */
const MAX_MESSAGE_BYTES = 256 * 1024;

export const sqs = defineDestination({
  type: "sqs",
  label: "Amazon SQS",
  config: Type.Object({
    queueUrl: Type.String({ maxLength: 2_048 }),
    region: Type.Optional(AWS_CONFIG.region),
    endpointUrl: AWS_CONFIG.endpointUrl,
  }),
  secrets: Type.Object(AWS_SECRETS),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: ({ config: { queueUrl, region, endpointUrl } }, world) => [
    ...checkUrl("metadata.queueUrl", queueUrl, world),
    ...(endpointUrl === undefined ? [] : checkUrl("metadata.endpointUrl", endpointUrl, world)),
    ...(regionOf(queueUrl, region) === undefined ? [NO_REGION] : []),
  ],
  open({ config, secrets }, world) {
    const { queueUrl, endpointUrl } = config;
    const region = regionOf(queueUrl, config.region) ?? "";
    const isFifo = queueUrl.endsWith(".fifo");
    let client: Promise<SQSClient> | undefined;
    const load = async () => {
      // Loaded when the first message comes: most installations never need it.
      const { SQSClient } = await import("@aws-sdk/client-sqs");
      const options = awsOptions({ config: { region, ...(endpointUrl && { endpointUrl }) }, secrets }, world);
      return new SQSClient({ ...options, md5: false, useQueueUrlAsEndpoint: endpointUrl === undefined });
    };
    return {
      async deliver(message) {
        const { SendMessageCommand } = await import("@aws-sdk/client-sqs");
        const send = new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: message.data,
          MessageAttributes: {
            topic: { DataType: "String", StringValue: message.topic },
            "event-id": { DataType: "String", StringValue: message.id },
          },
          // A repeated attempt is then one message for the queue as well.
          ...(isFifo && { MessageDeduplicationId: message.id, MessageGroupId: message.topic }),
        });
        try {
          client ??= load();
          const answer = await (await client).send(send);
          return {
            kind: "delivered",
            status: answer.$metadata.httpStatusCode ?? 200,
            answer: `message ${answer.MessageId}`,
          };
        } catch (error) {
          return awsOutcome(error);
        }
      },
      async close() {
        (await client)?.destroy();
      },
    };
  },
});

const NO_REGION: Fault = {
  name: "metadata.region",
  detail: "is missing, and `metadata.queueUrl` does not tell it",
};

/** As entered, or from an address such as https://sqs.eu-west-1.amazonaws.com/1/queue. */
const regionOf = (queueUrl: string, region: string | undefined): string | undefined =>
  region ?? /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com\//.exec(queueUrl)?.[1];
