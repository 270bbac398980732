/** Amazon Redshift: one row per message, inserted by the Data API, which executes statements in the background. */
import { setTimeout as wait } from "node:timers/promises";
import type { RedshiftDataClient } from "@aws-sdk/client-redshift-data";
import { Type } from "typebox";
import { elapsedMs } from "../../ground/clock.ts";
import { AWS_CONFIG, buildAwsOptions, toAwsOutcome, checkAws } from "../../destination-kit/aws.ts";
import { defineDestination, type Message, type Outcome } from "../../destination-kit/destination.ts";
import { cutExcerpt } from "../../destination-kit/http-outcome.ts";
import { buildMessageBody } from "../../destination-kit/message-body.ts";
import {
  BATCH_CONFIG,
  toBatchLimits,
  openRowChannel,
  repeatOutcome,
  SQL_NAME,
} from "../../destination-kit/rows.ts";

/** A statement with its parameters may have 100 KB, and a text of a table 65,535 bytes. */
const MAX_BATCH_BYTES = 80_000;
const MAX_MESSAGE_BYTES = 65_000;

export const redshift = defineDestination({
  type: "redshift",
  label: "Amazon Redshift",
  description: "One row of a table per message, with the columns `created_at` and `payload`.",
  config: Type.Object({
    ...AWS_CONFIG,
    dbName: Type.String({ pattern: SQL_NAME }),
    tableName: Type.String({ pattern: SQL_NAME }),
    schemaName: Type.Optional(Type.String({ pattern: SQL_NAME, description: "`public` without it." })),
    workgroupName: Type.Optional(
      Type.String({
        pattern: "^[a-z0-9-]{3,64}$",
        description: "Of Redshift Serverless. This or a cluster.",
      }),
    ),
    clusterIdentifier: Type.Optional(
      Type.String({ pattern: "^[a-z][a-z0-9-]{0,62}$", description: "Of a provisioned cluster." }),
    ),
    dbUser: Type.Optional(
      Type.String({ pattern: "^[\\x21-\\x7e]{1,127}$", description: "User of the cluster's database." }),
    ),
    ...BATCH_CONFIG,
  }),
  secrets: Type.Object({
    accessKeyId: Type.String({ minLength: 1, maxLength: 256 }),
    secretAccessKey: Type.String({ minLength: 1, maxLength: 256 }),
  }),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: ({ config, secrets }, network) => [
    ...((config.workgroupName === undefined) === (config.clusterIdentifier === undefined)
      ? [
          {
            name: "metadata.workgroupName",
            detail: "is needed, or `clusterIdentifier` instead of it; not both",
          },
        ]
      : []),
    ...checkAws(config, secrets, network),
  ],
  batch: (config) => toBatchLimits(config, MAX_BATCH_BYTES),
  open({ config, secrets: { accessKeyId: awsKeyId, secretAccessKey: awsSecretKey } }, network) {
    const { dbName: Database, workgroupName: WorkgroupName, clusterIdentifier: ClusterIdentifier } = config;
    const target = { Database, WorkgroupName, ClusterIdentifier, DbUser: config.dbUser };
    const table = `${config.schemaName ?? "public"}.${config.tableName}`;
    let opened: Promise<RedshiftDataClient> | undefined;
    const load = async () => {
      // Loaded with the first message: most installations never need it.
      const { RedshiftDataClient } = await import("@aws-sdk/client-redshift-data");
      return new RedshiftDataClient(
        buildAwsOptions({ config, secrets: { awsKeyId, awsSecretKey } }, network),
      );
    };
    const insert = async (messages: Message[]): Promise<Outcome> => {
      const { ExecuteStatementCommand } = await import("@aws-sdk/client-redshift-data");
      opened ??= load();
      const client = await opened;
      const command = new ExecuteStatementCommand({ ...target, ...buildStatement(table, messages) });
      const { Id } = await client.send(command);
      return Id === undefined
        ? { kind: "failed", error: NOT_REDSHIFT }
        : untilEnded(client, Id, network.timeoutMs);
    };
    return openRowChannel(
      async (messages) => repeatOutcome(messages, await insert(messages).catch(toAwsOutcome)),
      async () => (await opened)?.destroy(),
    );
  },
});

const buildStatement = (table: string, messages: Message[]) => ({
  Sql: `insert into ${table} (created_at, payload) values ${messages.map((_, nth) => `(getdate(), :p${nth})`).join(", ")}`,
  Parameters: messages.map((message, nth) => ({ name: `p${nth}`, value: buildMessageBody(message) })),
});

const FIRST_LOOK_MS = 100;
const MAX_BETWEEN_CHECKS_MS = 2_000;

/** Asks what became of a statement, with growing gaps. A question that fails is asked again: the rows may be inserted. */
async function untilEnded(client: RedshiftDataClient, Id: string, timeoutMs: number): Promise<Outcome> {
  const endMs = elapsedMs() + timeoutMs;
  for (let gapMs = FIRST_LOOK_MS; ; gapMs = Math.min(2 * gapMs, MAX_BETWEEN_CHECKS_MS)) {
    const { outcome, isFinal } = await checkStatement(client, Id);
    if (isFinal || elapsedMs() + gapMs > endMs) return outcome;
    await wait(gapMs);
  }
}

/** Returns what is known of a statement: how it ended, or how the attempt ends if nothing more becomes known. */
async function checkStatement(
  client: RedshiftDataClient,
  Id: string,
): Promise<{ outcome: Outcome; isFinal: boolean }> {
  const { DescribeStatementCommand } = await import("@aws-sdk/client-redshift-data");
  try {
    const { Status, Error: reason, $metadata } = await client.send(new DescribeStatementCommand({ Id }));
    const status = $metadata.httpStatusCode ?? 200;
    if (Status === "FINISHED") {
      const answer = cutExcerpt(`statement ${Id}`);
      return { outcome: { kind: "delivered", status, answer }, isFinal: true };
    }
    if (Status === undefined)
      return { outcome: { kind: "failed", status, error: NOT_REDSHIFT }, isFinal: true };
    const hasFailed = Status === "FAILED" || Status === "ABORTED";
    const error = hasFailed ? cutExcerpt(`${Status}: ${reason ?? "no reason"}`) : STILL_RUNS;
    return { outcome: { kind: "failed", status, error, overloaded: !hasFailed }, isFinal: hasFailed };
  } catch (error) {
    return { outcome: toAwsOutcome(error), isFinal: false };
  }
}

const NOT_REDSHIFT = "the receiver did not answer in the form of the Data API: it is not Redshift";
const STILL_RUNS = "Redshift has not inserted the rows in time; they may be there, and are inserted again";
