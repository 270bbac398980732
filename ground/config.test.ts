import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readConfig } from "./config.ts";
import { StartError } from "./errors.ts";

const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;

const WRONG: [title: string, env: Record<string, string>, says: RegExp][] = [
  ["a port that is no number", { BUSBAR_PORT: "http" }, /^BUSBAR_PORT must be a whole number.*"http"/],
  ["a port out of range", { BUSBAR_PROXY_PORT: "70000" }, /^BUSBAR_PROXY_PORT .*65535/],
  [
    "a port for health checks that the API has",
    { BUSBAR_HEALTH_PORT: "4000" },
    /^BUSBAR_HEALTH_PORT must differ/,
  ],
  ["one port for both listeners", { BUSBAR_PORT: "4999", BUSBAR_PROXY_PORT: "4999" }, /^BUSBAR_PROXY_PORT /],
  [
    "a data database beside the embedded one",
    { BUSBAR_DATA_DATABASE_URL: "postgres://h/d" },
    /^BUSBAR_DATA_DATABASE_URL needs DATABASE_URL/,
  ],
  [
    "a way to replicate what is not replicated",
    { BUSBAR_REPLICATION_URL: "postgres://h/d" },
    /^BUSBAR_REPLICATION_URL needs DATABASE_URL/,
  ],
  ["a database without keys", { DATABASE_URL: "postgres://x/y" }, /^BUSBAR_ENCRYPTION_KEYS .*node -p/],
  [
    "a key that is too short",
    { BUSBAR_ENCRYPTION_KEYS: "k1:c2hvcnQ=" },
    /^BUSBAR_ENCRYPTION_KEYS .*32 bytes/,
  ],
  [
    "a key without an id",
    { BUSBAR_ENCRYPTION_KEYS: KEYS.slice(2) },
    /^BUSBAR_ENCRYPTION_KEYS must be id:base64/,
  ],
  ["a key id twice", { BUSBAR_ENCRYPTION_KEYS: `${KEYS},${KEYS}` }, /^BUSBAR_ENCRYPTION_KEYS .*twice/],
  ["a database address of another kind", { DATABASE_URL: "mysql://x/y" }, /^DATABASE_URL must be/],
  ["a public address with a path", { BUSBAR_PUBLIC_URL: "https://x.example/api" }, /^BUSBAR_PUBLIC_URL /],
  ["a public address that is none", { BUSBAR_PROXY_PUBLIC_URL: "x.example" }, /^BUSBAR_PROXY_PUBLIC_URL /],
  [
    "a catalog at an address",
    { BUSBAR_CATALOG: "HTTP://ada:pw@127.0.0.1:4010/sandbox/catalog" },
    /^BUSBAR_CATALOG must be the path of a file, not an address: download it first, with curl -o catalog\.json, and set BUSBAR_CATALOG=catalog\.json$/,
  ],
  ["a role that there is not", { BUSBAR_ROLES: "api,cook" }, /^BUSBAR_ROLES must be a list of api/],
  ["a log level that there is not", { BUSBAR_LOG_LEVEL: "loud" }, /^BUSBAR_LOG_LEVEL must be one of fatal/],
  ["a short first key", { BUSBAR_BOOTSTRAP_API_KEY: "short" }, /^BUSBAR_BOOTSTRAP_API_KEY .*32/],
  ["a switch that is neither", { BUSBAR_METRICS: "yes" }, /^BUSBAR_METRICS must be true or false/],
  ["a gap that is no number", { BUSBAR_WEBHOOK_RETRY_SECONDS: "5,x" }, /^BUSBAR_WEBHOOK_RETRY_SECONDS .*"x"/],
  ["no gap at all", { BUSBAR_RETRY_BASE_SECONDS: "0" }, /^BUSBAR_RETRY_BASE_SECONDS .*above 0/],
  [
    "short minutes in production",
    { BUSBAR_MINUTE_MS: "10", NODE_ENV: "production" },
    /^BUSBAR_MINUTE_MS .*production/,
  ],
  [
    "a network that is none",
    { BUSBAR_EGRESS_ALLOW: "10.0.0.0/99" },
    /^BUSBAR_EGRESS_ALLOW .*10\.0\.0\.0\/99/,
  ],
  ["a host with a scheme", { BUSBAR_EGRESS_ALLOW: "http://10.0.0.1" }, /^BUSBAR_EGRESS_ALLOW .*no http:/],
  [
    "a time-out that no timer can count",
    { BUSBAR_WEBHOOK_TIMEOUT_SECONDS: "3000000" },
    /^BUSBAR_WEBHOOK_TIMEOUT_SECONDS .*at most 3600/,
  ],
  ["a gap of years", { BUSBAR_WEBHOOK_RETRY_SECONDS: "5,1e12" }, /^BUSBAR_WEBHOOK_RETRY_SECONDS .*"1e12"/],
  ["days beyond every calendar", { BUSBAR_EVENT_RETENTION_DAYS: "1e300" }, /^BUSBAR_EVENT_RETENTION_DAYS /],
  [
    "an issuer that is no web address",
    { BUSBAR_OIDC_ISSUER: "ftp://x.example", BUSBAR_OIDC_CLIENT_ID: "x" },
    /^BUSBAR_OIDC_ISSUER must be/,
  ],
  [
    "sign-in without a client",
    { BUSBAR_OIDC_ISSUER: "https://x.example" },
    /^BUSBAR_OIDC_CLIENT_ID must be set/,
  ],
  ["help at no web address", { BUSBAR_SUPPORT_URL: "help.example" }, /^BUSBAR_SUPPORT_URL must be an https/],
  ["help at no mail address", { BUSBAR_SUPPORT_EMAIL: "help" }, /^BUSBAR_SUPPORT_EMAIL must be a mail/],
  ["help at no number", { BUSBAR_SUPPORT_PHONE: "call us" }, /^BUSBAR_SUPPORT_PHONE must be a phone/],
  [
    "a retention that ends before the last attempt",
    { BUSBAR_EVENT_RETENTION_DAYS: "1" },
    /^BUSBAR_EVENT_RETENTION_DAYS must be at least 2\.76, .* BUSBAR_WEBHOOK_RETRY_SECONDS/,
  ],
  ["a misspelt variable", { BUSBAR_PROT: "4002" }, /^BUSBAR_PROT is not .*Did you mean "BUSBAR_PORT"\?$/],
  ["a variable unlike all", { BUSBAR_COLOUR_OF_DOORS: "red" }, /^BUSBAR_COLOUR_OF_DOORS .*configuration\.md/],
  ["a host with a port", { BUSBAR_WRITE_HOST: "write.example:80" }, /^BUSBAR_WRITE_HOST .*without port/],
];

describe("the configuration", () => {
  for (const [title, env, says] of WRONG) {
    test(`${title} stops the start with one line that names the variable and what it takes`, () => {
      assert.throws(
        () => readConfig(env),
        (error: unknown) =>
          error instanceof StartError && says.test(error.message) && !error.message.includes("\n"),
      );
    });
  }

  test("a wrong value that may be a secret is not repeated", () => {
    for (const env of [
      { DATABASE_URL: "mysql://user:hunter2@host/db" },
      { BUSBAR_BOOTSTRAP_API_KEY: "hunter2" },
      { BUSBAR_ENCRYPTION_KEYS: "k1:hunter2" },
    ]) {
      assert.throws(
        () => readConfig(env),
        (error: unknown) => !String(error).includes("hunter2"),
      );
    }
  });

  test("nothing set means an embedded database below .busbar and listeners on 4000 and 4001 of this machine", () => {
    const config = readConfig({});
    assert.equal(config.databaseUrl, undefined);
    assert.ok(config.dataDir.endsWith("/.busbar"));
    assert.deepEqual([config.host, config.port, config.proxyPort], ["127.0.0.1", 4000, 4001]);
    assert.deepEqual([...config.roles], ["api", "proxy", "worker"]);
  });

  test("an empty value counts as not set", () => {
    const config = readConfig({ BUSBAR_PORT: "", DATABASE_URL: "", BUSBAR_ROLES: "" });
    assert.equal(config.port, 4000);
    assert.equal(config.databaseUrl, undefined);
  });
});
