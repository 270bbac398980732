/** BigQuery: one row per message, inserted by its REST API with a service account. */
import { Type } from "typebox";
import { isJsonObject, type Json } from "../../ground/json.ts";
import {
  defineDestination,
  type Exchange,
  type Message,
  type Outcome,
} from "../../destination-kit/destination.ts";
import { toHttpOutcome, parseMembers } from "../../destination-kit/http-outcome.ts";
import { buildMessageBody } from "../../destination-kit/message-body.ts";
import { BATCH_CONFIG, toBatchLimits, openRowChannel, repeatOutcome } from "../../destination-kit/rows.ts";
import {
  checkGoogle,
  buildEndpointSetting,
  GOOGLE_PROJECT,
  getGoogleAudience,
  createGoogleBearer,
  explainGoogleRefusal,
  readServiceAccount,
  describeServiceAccount,
} from "../../destination-kit/google.ts";

const GOOGLE = "https://bigquery.googleapis.com";
/** A request may have 10 MB (https://cloud.google.com/bigquery/quotas#streaming_inserts); quotes in the payload are escaped. */
const MAX_BATCH_BYTES = 4_000_000;
const MAX_MESSAGE_BYTES = 4_000_000;

export const bigquery = defineDestination({
  type: "bigquery",
  label: "Google BigQuery",
  description: "One row of a table per message, with the columns `id` and `payload`.",
  config: Type.Object({
    ...GOOGLE_PROJECT,
    datasetId: Type.String({ pattern: "^[A-Za-z0-9_]{1,1024}$" }),
    tableId: Type.String({ pattern: "^[\\p{L}\\p{M}\\p{N}\\p{Pc}\\p{Pd} ]{1,1024}$" }),
    ...buildEndpointSetting(GOOGLE),
    ...BATCH_CONFIG,
  }),
  secrets: describeServiceAccount("insert into the table"),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: checkGoogle,
  batch: (config) => toBatchLimits(config, MAX_BATCH_BYTES),
  open(
    { config: { projectId, datasetId, tableId, endpointUrl = GOOGLE }, secrets: { credentials } },
    network,
  ) {
    const [project, dataset, table] = [projectId, datasetId, tableId].map(encodeURIComponent);
    const path = `/bigquery/v2/projects/${project}/datasets/${dataset}/tables/${table}/insertAll`;
    const url = new URL(path, endpointUrl);
    const bearer = createGoogleBearer(readServiceAccount(credentials), getGoogleAudience(url, GOOGLE));
    return openRowChannel(async (messages) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${await bearer()}` };
      // Otherwise one row that does not fit its table would stop the others.
      const body = JSON.stringify({ skipInvalidRows: true, rows: messages.map(buildRow) });
      return readOutcomes(messages, await network.send({ url, method: "POST", headers, body }));
    });
  },
});

/** BigQuery drops a row with an `insertId` that it has seen within the last minute, if it notices. */
const buildRow = (message: Message) => ({
  insertId: message.id,
  json: { id: message.id, payload: buildMessageBody(message) },
});

/**
 * Rows that were not inserted are in `insertErrors`: `[{"index": 0, "errors": [{"reason": "invalid", "message": "…"}]}]`. A
 * refused request has `{"error": {"status": "NOT_FOUND", "message": "…"}}`.
 */
function readOutcomes(messages: Message[], exchange: Exchange): Outcome[] {
  const outcome = toHttpOutcome(exchange);
  if ("failure" in exchange) return repeatOutcome(messages, outcome);
  const { error, kind, insertErrors } = parseMembers(exchange.body);
  if (outcome.kind !== "delivered") {
    return repeatOutcome(messages, explainGoogleRefusal(outcome, error));
  }
  if (kind !== ACCEPTED) {
    const reason = exchange.body.includes(`"${ACCEPTED}"`) ? MANY_REFUSED : NOT_BIGQUERY;
    return repeatOutcome(messages, { ...outcome, kind: "failed", error: reason });
  }
  const reasons = readReasons(insertErrors);
  if (reasons.size === 0) return repeatOutcome(messages, outcome);
  // The answer is about all rows, and may be long.
  const { answer: _, ...own } = outcome;
  return messages.map((_message, index) => {
    const reason = reasons.get(index);
    return reason === undefined ? own : { ...own, kind: "failed", error: reason };
  });
}

function readReasons(insertErrors: Json | undefined): Map<number, string> {
  const entries = Array.isArray(insertErrors) ? insertErrors : [];
  return new Map(
    entries.flatMap((entry) => {
      if (!isJsonObject(entry)) return [];
      const [first] = Array.isArray(entry["errors"]) ? entry["errors"] : [];
      const { reason, message, location } = isJsonObject(first) ? first : {};
      const place = typeof location === "string" && location !== "" ? ` (${location})` : "";
      return [[Number(entry["index"] ?? 0), `${String(reason)}: ${String(message)}${place}`] as const];
    }),
  );
}

const ACCEPTED = "bigquery#tableDataInsertAllResponse";
/** The answer is cut off after 16 KiB, so nobody knows which rows were inserted. */
const MANY_REFUSED = "BigQuery refused so many rows that the answer does not say which ones";
/** For example a sign-in page: the message would be lost. */
const NOT_BIGQUERY = "the receiver did not answer an insert in BigQuery's form: it is not BigQuery";
