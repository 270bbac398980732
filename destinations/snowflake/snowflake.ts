/** Snowflake: one row per message, inserted by its SQL API, signed in with the key pair of a user. */
import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { Type } from "typebox";
import { checkEndpoint } from "../../destination-kit/check-url.ts";
import {
  defineDestination,
  type Exchange,
  type Fault,
  type Outcome,
} from "../../destination-kit/destination.ts";
import { toHttpOutcome, parseMembers } from "../../destination-kit/http-outcome.ts";
import { buildMessageBody } from "../../destination-kit/message-body.ts";
import {
  BATCH_CONFIG,
  toBatchLimits,
  openRowChannel,
  repeatOutcome,
  SQL_NAME,
} from "../../destination-kit/rows.ts";
import { openBearer, readRsaKey } from "../../destination-kit/signed-bearer.ts";

/** A row's text may have 16 MB; a batch stays far below it, as all of it is held in memory a few times. */
const MAX_BATCH_BYTES = 8_000_000;
const MAX_MESSAGE_BYTES = 8_000_000;
/** Snowflake answers after 45 s that a statement goes on; it must have ended before that, or nobody knows how. */
const LONGEST_SECONDS = 40;

export const snowflake = defineDestination({
  type: "snowflake",
  label: "Snowflake",
  description: "One row of a table per message, with the columns `id`, `created_at` and `payload`.",
  config: Type.Object({
    accountIdentifier: Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{1,254}$",
      description: "Organisation and account, for example myorg-myaccount.",
    }),
    userId: Type.String({ pattern: "^[^\\x00-\\x1f]{1,255}$", description: "User with the public key." }),
    dbName: Type.String({ pattern: SQL_NAME }),
    schemaName: Type.String({ pattern: SQL_NAME }),
    tableName: Type.String({ pattern: SQL_NAME }),
    endpointUrl: Type.Optional(
      Type.String({
        maxLength: 2_048,
        description: "Of a private link; the account's own address without it.",
      }),
    ),
    ...BATCH_CONFIG,
  }),
  secrets: Type.Object({
    privateKey: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: "RSA key of the user in PEM form, without a passphrase.",
    }),
  }),
  maxMessageBytes: MAX_MESSAGE_BYTES,
  check: ({ config: { endpointUrl }, secrets: { privateKey } }, network) => [
    ...checkEndpoint(endpointUrl, network),
    ...checkKey(privateKey),
  ],
  batch: (config) => toBatchLimits(config, MAX_BATCH_BYTES),
  open({ config, secrets: { privateKey } }, network) {
    const key = readRsaKey(privateKey);
    if (typeof key === "string") throw new Error(`secrets.privateKey ${key}`);
    const url = new URL("/api/v2/statements", config.endpointUrl ?? buildHost(config.accountIdentifier));
    const bearer = openUserBearer(config, key);
    const table = [config.dbName, config.schemaName, config.tableName].join(".");
    const timeout = Math.min(LONGEST_SECONDS, Math.max(1, Math.floor(network.timeoutMs / 1_000) - 2));
    return openRowChannel(async (messages) => {
      const values = messages.flatMap((message) => [message.id, buildMessageBody(message)]);
      const bindings = Object.fromEntries(values.map((value, nth) => [nth + 1, { type: "TEXT", value }]));
      const headers = {
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": "Busbar/1",
        authorization: `Bearer ${await bearer()}`,
        "x-snowflake-authorization-token-type": "KEYPAIR_JWT",
      };
      const body = JSON.stringify({ statement: buildStatement(table, messages.length), timeout, bindings });
      return repeatOutcome(messages, readOutcome(await network.send({ url, method: "POST", headers, body })));
    });
  },
});

/** Rows come from a SELECT: a VALUES list of an INSERT takes constants only. */
const buildStatement = (table: string, rows: number): string =>
  `insert into ${table} (id, created_at, payload) select column1, current_timestamp(), column2 ` +
  `from values ${Array.from({ length: rows }, () => "(?, ?)").join(", ")}`;

/** Host names have hyphens for underscores (https://docs.snowflake.com/en/user-guide/admin-account-identifier). */
const buildHost = (account: string): string =>
  `https://${account.toLowerCase().replaceAll("_", "-")}.snowflakecomputing.com`;

/**
 * Signs as https://docs.snowflake.com/en/developer-guide/sql-api/authenticating requires: account and user in capitals,
 * without the region of an account locator, and the fingerprint of the public key.
 */
function openUserBearer(
  { accountIdentifier, userId }: { accountIdentifier: string; userId: string },
  key: KeyObject,
): () => Promise<string> {
  const [account = "", ...region] = accountIdentifier.split(".");
  const name = region.includes("global") ? account.split("-")[0] : account;
  const subject = `${name}.${userId}`.toUpperCase();
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const fingerprint = createHash("sha256").update(publicKey).digest("base64");
  return openBearer({ issuer: `${subject}.SHA256:${fingerprint}`, subject, key });
}

function checkKey(privateKey: string): Fault[] {
  const key = readRsaKey(privateKey);
  return typeof key === "string" ? [{ name: "secrets.privateKey", detail: key }] : [];
}

/**
 * Every answer has a code and a message: 200 with 090001 after the statement has ended, 202 while it goes on, 422 when it
 * failed (https://docs.snowflake.com/en/developer-guide/sql-api/handling-responses).
 */
function readOutcome(exchange: Exchange): Outcome {
  const outcome = toHttpOutcome(exchange);
  if ("failure" in exchange) return outcome;
  const { code, message } = parseMembers(exchange.body);
  const said = typeof code === "string" && typeof message === "string" && `${code}: ${message}`;
  if (outcome.status === 200) return said ? outcome : { ...outcome, kind: "failed", error: NOT_SNOWFLAKE };
  const error = outcome.status === 202 ? STILL_RUNS : said || outcome.error || NOT_SNOWFLAKE;
  return { ...outcome, kind: "failed", error, overloaded: outcome.overloaded || outcome.status === 202 };
}

const STILL_RUNS = "Snowflake has not inserted the rows in time; they may be there, and are inserted again";
/** For example a sign-in page: the message would be lost. */
const NOT_SNOWFLAKE = "the receiver did not answer in the form of the SQL API: it is not Snowflake";
