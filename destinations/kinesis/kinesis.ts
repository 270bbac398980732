/** Amazon Kinesis: one record per message, its partition chosen by a template. */
import type { KinesisClient } from "@aws-sdk/client-kinesis";
import { Type } from "typebox";
import type { Json } from "../../ground/json.ts";
import {
  AWS_CONFIG,
  AWS_SECRETS,
  buildAwsOptions,
  toAwsOutcome,
  checkAws,
} from "../../destination-kit/aws.ts";
import { defineDestination } from "../../destination-kit/destination.ts";
import { cutExcerpt } from "../../destination-kit/http-outcome.ts";
import { checkTemplate, openTemplate } from "../../destination-kit/template.ts";

/** The service's limit for one record with its partition key. */
const MAX_RECORD_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 256;

/** Events and data messages have the same envelope. */
const buildRecord = (data: string): string => `{"data":${data}}`;

export const kinesis = defineDestination({
  type: "kinesis",
  label: "Amazon Kinesis",
  description: "One record of a stream per message; a template chooses the partition.",
  config: Type.Object({
    streamName: Type.String({ pattern: "^[a-zA-Z0-9_.-]{1,128}$" }),
    ...AWS_CONFIG,
    partitionKeyTemplate: Type.Optional(
      Type.String({
        description: "JMESPath over `{data: …}`, for example `data.groupRef`; the message id without it.",
      }),
    ),
  }),
  secrets: Type.Object(AWS_SECRETS),
  maxMessageBytes: MAX_RECORD_BYTES - 4 * MAX_KEY_LENGTH - buildRecord("").length,
  check: ({ config, secrets }, network) => [
    ...checkAws(config, secrets, network),
    ...(config.partitionKeyTemplate === undefined
      ? []
      : checkTemplate("metadata.partitionKeyTemplate", config.partitionKeyTemplate, { data: {} })),
  ],
  open({ config, secrets }, network) {
    const readPartitionKey =
      config.partitionKeyTemplate === undefined ? undefined : openTemplate(config.partitionKeyTemplate);
    let client: Promise<KinesisClient> | undefined;
    const load = async () => {
      // Loaded with the first message: most installations never need it.
      const { KinesisClient } = await import("@aws-sdk/client-kinesis");
      return new KinesisClient(buildAwsOptions({ config, secrets }, network));
    };
    return {
      async deliver(message) {
        const { PutRecordCommand } = await import("@aws-sdk/client-kinesis");
        const data: Json = JSON.parse(message.data);
        const partitionKey = (readPartitionKey?.({ data }) ?? message.id)
          .slice(0, MAX_KEY_LENGTH)
          .toWellFormed();
        const record = Buffer.from(buildRecord(message.data));
        try {
          client ??= load();
          const put = { StreamName: config.streamName, PartitionKey: partitionKey, Data: record };
          const { ShardId, SequenceNumber, $metadata } = await (await client).send(new PutRecordCommand(put));
          const status = $metadata.httpStatusCode ?? 200;
          if (SequenceNumber === undefined) return { kind: "failed", status, error: NO_NUMBER };
          const answer = cutExcerpt(`shard ${ShardId}, sequence number ${SequenceNumber}`);
          return { kind: "delivered", status, answer };
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

const NO_NUMBER = "the receiver answered without a sequence number: it is not Kinesis";
