/** ClickHouse: one row per message, inserted by its HTTP interface; columns are filled from members of the same name. */
import { Type } from "typebox";
import { elapsedMs } from "../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { checkUrl } from "../../destination-kit/check-url.ts";
import {
  defineDestination,
  type Exchange,
  type Message,
  type Outcome,
} from "../../destination-kit/destination.ts";
import { toHttpOutcome } from "../../destination-kit/http-outcome.ts";
import { buildMessageBody } from "../../destination-kit/message-body.ts";
import {
  BATCH_CONFIG,
  toBatchLimits,
  openRowChannel,
  repeatOutcome,
  SQL_NAME,
} from "../../destination-kit/rows.ts";

const MAX_BATCH_BYTES = 16_000_000;

export const clickhouse = defineDestination({
  type: "clickhouse",
  label: "ClickHouse",
  description: "One row of a table per message; columns are filled from its members of the same name.",
  config: Type.Object({
    url: Type.String({
      maxLength: 2_048,
      description: "Of the HTTP interface, for example https://example.com:8443.",
    }),
    username: Type.String({ pattern: "^[\\x21-\\x7e]{1,256}$" }),
    tableName: Type.String({ pattern: SQL_NAME }),
    database: Type.Optional(Type.String({ pattern: SQL_NAME, description: "`default` without it." })),
    ...BATCH_CONFIG,
  }),
  secrets: Type.Object({ password: Type.String({ pattern: "^[\\x20-\\x7e]{1,256}$" }) }),
  check: ({ config: { url } }, network) => checkUrl("metadata.url", url, network),
  batch: (config) => toBatchLimits(config, MAX_BATCH_BYTES),
  open(
    { config: { url: address, username, tableName, database = "default" }, secrets: { password } },
    network,
  ) {
    const url = buildStatement(address, `\`${database}\`.\`${tableName}\``);
    const headers = {
      "content-type": "application/x-ndjson",
      "x-clickhouse-user": username,
      "x-clickhouse-key": password,
    };
    /** A batch is inserted as a whole or not at all. One row that does not fit its table must not hold up the others. */
    const insert = async (rows: string[], endMs: number): Promise<Outcome[]> => {
      if (elapsedMs() >= endMs) return repeatOutcome(rows, { kind: "failed", error: NOT_TRIED });
      const outcome = readOutcome(await network.send({ url, method: "POST", headers, body: rows.join("") }));
      if (rows.length === 1 || !isFaultOfRow(outcome)) return repeatOutcome(rows, outcome);
      const half = Math.ceil(rows.length / 2);
      const first = await insert(rows.slice(0, half), endMs);
      return [...first, ...(await insert(rows.slice(half), endMs))];
    };
    return openRowChannel((messages) => insert(messages.map(buildRow), elapsedMs() + network.timeoutMs));
  },
});

/** Settings of https://clickhouse.com/docs/operations/settings/formats: without them, a new member would stop all inserts. */
const SETTINGS = { input_format_skip_unknown_fields: "1", date_time_input_format: "best_effort" };

function buildStatement(address: string, table: string): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(SETTINGS)) url.searchParams.set(name, value);
  url.searchParams.set("query", `INSERT INTO ${table} FORMAT JSONEachRow`);
  return url;
}

/** Returns a line of JSON: columns for receivers that drop repeated messages, and the message's own members. */
function buildRow(message: Message): string {
  const members: Json = JSON.parse(buildMessageBody(message));
  const own = isJsonObject(members) ? members : { data: members };
  const row: JsonObject = { messageId: message.id, topic: message.topic };
  for (const [name, value] of Object.entries(own)) {
    row[name] = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  }
  return `${JSON.stringify(row)}\n`;
}

/**
 * Faults of values (https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp): texts, numbers, dates and
 * ids that cannot be parsed, wrong types, values out of range or against a constraint, and nulls for columns that take none.
 * An unknown element of an enum is 49, 36 or 691, depending on the version.
 */
const FAULTS_OF_ROWS = new Set([
  6, 19, 25, 26, 27, 32, 33, 36, 38, 41, 49, 53, 69, 70, 72, 117, 130, 131, 321, 349, 376, 407, 441, 467, 469,
  675, 676, 691,
]);

const isFaultOfRow = ({ kind, error }: Outcome): boolean =>
  kind === "failed" && FAULTS_OF_ROWS.has(Number(/^Code: (\d+)/.exec(error ?? "")?.[1]));

/** An accepted insert is answered with an empty body, a refused one with `Code: 60, … Exception: Table … doesn't exist`. */
function readOutcome(exchange: Exchange): Outcome {
  const outcome = toHttpOutcome(exchange);
  if ("failure" in exchange) return outcome;
  const said = exchange.body.toString("utf8").trim();
  if (outcome.kind === "delivered" && said === "") return outcome;
  const error = /^Code: \d+/.test(said) ? said : outcome.error;
  return { ...outcome, kind: "failed", error: error ?? NOT_CLICKHOUSE };
}

const NOT_TRIED =
  "the batch had rows that do not fit the table, and finding them took too long; it is sent again";
/** Refusal of an answer such as a sign-in page, behind which the message would be lost. */
const NOT_CLICKHOUSE = "the receiver answered an insert with a text: it is not ClickHouse";
