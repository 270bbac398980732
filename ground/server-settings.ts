/** Settings of a server's listeners and access, and of its calls outwards. */
import { resolve } from "node:path";
import {
  boolean,
  integer,
  isHost,
  networks,
  origin,
  parseInteger,
  setting,
  text,
  textOr,
  buildWrongValue,
  type Environment,
  type Setting,
} from "./config-values.ts";
import { listDatabaseAddresses } from "./database-addresses.ts";
import type { EncryptionKey } from "./seal.ts";

const PROCESS_ROLES = ["api", "proxy", "worker"] as const;
type ProcessRole = (typeof PROCESS_ROLES)[number];

/** Support contact, as members of a Problem. */
export interface SupportContact {
  supportEmail?: string | undefined;
  supportPhone?: string | undefined;
  supportUrl?: string | undefined;
}

const isPostgresUrl = (value: string) => listDatabaseAddresses(value) !== undefined;
const POSTGRES_URL =
  "a postgres:// or postgresql:// address, with one host or several (host1:5432,host2:5432); " +
  "target_session_attrs may be any, read-write or primary";
const isEmail = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) && value.length <= 320;
const isPhone = (value: string) => /^[+\d][\d ()./-]{2,30}$/.test(value);
const isWebAddress = (value: string) => /^https?:\/\//.test(value) && URL.canParse(value);
const isLongKey = (value: string) => /^[\x21-\x7e]{32,}$/.test(value);
const isPath = (value: string): boolean => !/^[a-z][a-z0-9+.-]+:\/\//i.test(value);
const PATH_OF_CATALOG =
  "the path of a file, not an address: download it first, with curl -o catalog.json, and set BUSBAR_CATALOG=catalog.json";
const HOST_NAME = "a host name without port";

/** Settings of one process, unless they say otherwise. */
export const LISTENERS = {
  /** Undefined: an embedded PostgreSQL under `dataDir`. */
  databaseUrl: text(
    {
      name: "DATABASE_URL",
      about:
        "PostgreSQL 14 or later, one host or [several](operating.md#failover). Unset: an embedded PostgreSQL in the data folder",
      example: "postgres://busbar:password@db.example.com:5432/busbar",
    },
    isPostgresUrl,
    POSTGRES_URL,
  ),
  /** Undefined: one database has all tables. */
  dataDatabaseUrl: text(
    {
      name: "BUSBAR_DATA_DATABASE_URL",
      about:
        "a second PostgreSQL, of the same major version as that of `DATABASE_URL`, for [what grows with traffic](two-databases.md); both are empty at the first start. Unset: one database has everything",
      example: "postgres://busbar:password@data.example.com:5432/busbar",
    },
    isPostgresUrl,
    POSTGRES_URL,
  ),
  /** Undefined: `databaseUrl`. */
  replicationUrl: text(
    {
      name: "BUSBAR_REPLICATION_URL",
      about:
        "the database of `DATABASE_URL` as the server of `BUSBAR_DATA_DATABASE_URL`, or of a shard, reaches it, with a role that has `replication`; in libpq's syntax. Read when the two are set up, by `busbar migrate` and by `busbar shards add`. Unset: `DATABASE_URL` at the set-up, and later what was set up",
      example: "postgres://replicator:password@db.internal:5432/busbar",
    },
    isPostgresUrl,
    POSTGRES_URL,
  ),
  mainWeight: integer(
    "BUSBAR_MAIN_WEIGHT",
    "share of new customers that the first database is to get beside the shards, whose weights `busbar shards add` sets; 0: none while a shard is active",
    { fallback: 1, min: 0, max: 1_000 },
  ),
  databaseConnections: integer(
    "BUSBAR_DATABASE_CONNECTIONS",
    "maximum size of the connection pool of one process; notifications and deliveries use about five more",
    { fallback: 20, min: 2, max: 1_000 },
  ),
  tokenRefreshes: {
    max: integer(
      "BUSBAR_TOKEN_REFRESHES",
      "most token refreshes that one process has under way at once, in total and for one provider",
      { fallback: 80, min: 2, max: 10_000 },
    ),
    maxPerProvider: integer("BUSBAR_TOKEN_REFRESHES_PER_PROVIDER", undefined, {
      fallback: 40,
      min: 2,
      max: 10_000,
    }),
  },
  dataDir: setting(
    {
      name: "BUSBAR_DATA_DIR",
      fallback: ".busbar",
      about: "embedded database, generated keys, `bootstrap.json`; created with mode 0700",
    },
    (value) => resolve(value),
    resolve(".busbar"),
  ),
  host: textOr(
    "127.0.0.1",
    { name: "BUSBAR_HOST", about: "address of the listeners" },
    isHost,
    "an IP address or host name",
  ),
  port: integer("BUSBAR_PORT", "management and write API; 0 picks a free port", {
    fallback: 4000,
    min: 0,
    max: 65_535,
  }),
  proxyPort: integer("BUSBAR_PROXY_PORT", "proxy; 0 picks a free port", {
    fallback: 4001,
    min: 0,
    max: 65_535,
  }),
  /** Undefined: health and metrics are at `port` only. */
  healthPort: setting(
    {
      name: "BUSBAR_HEALTH_PORT",
      about:
        "`/healthz`, `/readyz` and `/metrics` at a port of their own as well, in processes of every role; a process without the role `api` has them nowhere else",
      example: "4002",
    },
    (value, name) => parseInteger(name, value, { min: 0, max: 65_535 }),
    undefined,
  ),
  /** How long a stopping process continues to serve; /readyz answers 503 meanwhile. */
  stopDelayMs: setting(
    {
      name: "BUSBAR_STOP_DELAY_SECONDS",
      fallback: "0",
      about:
        "for how long a process that has to stop serves on, while `/readyz` answers 503: set it to more than the interval of your load balancer's checks",
      example: "10",
    },
    (value, name) => parseInteger(name, value, { min: 0, max: 300 }) * 1_000,
    0,
  ),
  apiConnections: integer(
    "BUSBAR_API_CONNECTIONS",
    "maximum number of connections open at the API's listener of one process; further ones are closed at once",
    { fallback: 5_000, min: 1, max: 1_000_000 },
  ),
  proxyConnections: integer("BUSBAR_PROXY_CONNECTIONS", "the same for the proxy's listener", {
    fallback: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  projectDestinations: integer(
    "BUSBAR_PROJECT_DESTINATIONS",
    "maximum number of destinations of one project",
    { fallback: 1_000, min: 1, max: 1_000_000 },
  ),
  publicUrl: origin({
    name: "BUSBAR_PUBLIC_URL",
    fallback: "from host and port",
    about: "public address of the API: an origin without a path. The OAuth redirect URI begins with it",
    example: "https://busbar.example.com",
  }),
  proxyPublicUrl: origin({
    name: "BUSBAR_PROXY_PUBLIC_URL",
    fallback: "from host and port",
    about: "public address of the proxy",
    example: "https://proxy.busbar.example.com",
  }),
  /** Returned with each refusal. */
  support: {
    supportEmail: text(
      {
        name: "BUSBAR_SUPPORT_EMAIL",
        about:
          "your support contact, returned with each refusal: [`supportEmail`, `supportPhone`, `supportUrl`](errors.md)",
        example: "help@example.com",
      },
      isEmail,
      "a mail address",
    ),
    supportPhone: text(
      { name: "BUSBAR_SUPPORT_PHONE", example: "+49-30-123456" },
      isPhone,
      "a phone number such as +49 30 123456",
    ),
    supportUrl: text(
      { name: "BUSBAR_SUPPORT_URL", example: "https://example.com/help" },
      isWebAddress,
      "an https:// or http:// address",
    ),
  },
  roles: setting(
    {
      name: "BUSBAR_ROLES",
      fallback: PROCESS_ROLES.join(","),
      about: "roles of this process; several processes can share one database",
    },
    parseRoles,
    parseRoles(PROCESS_ROLES.join(",")),
  ),
  /** Addresses and CIDRs of reverse proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: networks(
    {
      name: "BUSBAR_TRUSTED_PROXIES",
      about:
        "comma-separated addresses and CIDRs of your reverse proxies: from these, Busbar takes the client's address from `X-Forwarded-For`",
      example: "10.0.0.0/8",
    },
    { hosts: false },
  ),
  surfaceHosts: {
    write: text(
      {
        name: "BUSBAR_WRITE_HOST",
        about:
          "requests to `/v1/…` under this host name go to the write, read or search API. The header `X-Amp-Request-Type: write` does the same",
        example: "write.busbar.example.com",
      },
      isHost,
      HOST_NAME,
    ),
    read: text({ name: "BUSBAR_READ_HOST", example: "read.busbar.example.com" }, isHost, HOST_NAME),
    search: text({ name: "BUSBAR_SEARCH_HOST", example: "search.busbar.example.com" }, isHost, HOST_NAME),
  },
};

export const SECRETS = {
  /** If undefined, the first start generates a key in the data folder (embedded database only). */
  encryptionKeys: setting(
    {
      name: "BUSBAR_ENCRYPTION_KEYS",
      fallback: "generated into the data folder",
      about: "`id:base64(32 bytes)[,id:…]`: the first encrypts, all decrypt. Must be set with `DATABASE_URL`",
      example: "",
    },
    (value) => parseEncryptionKeys(value),
    undefined,
  ),
  /** Program that prints the keys when Busbar starts; it replaces `encryptionKeys`. */
  encryptionKeysCommand: setting(
    {
      name: "BUSBAR_ENCRYPTION_KEYS_COMMAND",
      about:
        "instead of `BUSBAR_ENCRYPTION_KEYS`: a program with arguments that [prints the keys](operating.md#keys-from-vault-or-a-kms)",
      example: "/usr/bin/vault kv get -field=keys secret/busbar",
    },
    (value) => value.trim() || undefined,
    undefined,
  ),
  bootstrapApiKey: text(
    {
      name: "BUSBAR_BOOTSTRAP_API_KEY",
      fallback: "made at random",
      about: "value of the first API key, at least 32 characters",
      example: "",
    },
    isLongKey,
    "at least 32 characters without spaces",
  ),
  bootstrapEmail: text(
    {
      name: "BUSBAR_BOOTSTRAP_EMAIL",
      about:
        "e-mail address of the first organisation's owner, for people who sign in with a key. With an issuer, invite the owner with `busbar invite`; see [access](access.md#joining-an-organisation)",
      example: "",
    },
    isEmail,
    "an e-mail address",
  ),
  oidc: {
    variables: [
      {
        name: "BUSBAR_OIDC_ISSUER",
        about:
          "OpenID Connect issuer where people sign in; its tokens are accepted as bearer tokens. Unset: people [sign in with the first API key](access.md#people)",
        example: "",
      },
      { name: "BUSBAR_OIDC_CLIENT_ID", example: "" },
      {
        name: "BUSBAR_OIDC_CLIENT_SECRET",
        about:
          "secret of the client at the issuer, for signing in with a browser. Unset: a public client, which proves itself by PKCE",
        example: "",
      },
      {
        name: "BUSBAR_OIDC_TRUST_EMAIL",
        fallback: "false",
        about:
          "`true`: count an e-mail address of the issuer as verified when the token has no `email_verified`. Without it such an address opens no invitation and no claimed domain",
      },
    ],
    read: readOidc,
  } satisfies Setting<unknown>,
};

export const OUTGOING = {
  catalogPath: text(
    {
      name: "BUSBAR_CATALOG",
      about:
        "path of a YAML or JSON file `{providers: {<key>: {…}}}`, deep-merged over the built-in catalog: to change a provider's address, or to add a provider",
      example: "./catalog.yaml",
    },
    isPath,
    PATH_OF_CATALOG,
  ),
  /** Private hosts (lower case) and CIDRs that outgoing calls may reach. */
  egressAllow: networks(
    {
      name: "BUSBAR_EGRESS_ALLOW",
      about:
        "comma-separated private hosts or CIDRs (loopback included) that outgoing calls may reach; plain `http://` is allowed for these hosts only. Link-local addresses are always refused",
      example: "",
    },
    { hosts: true },
  ),
};

function parseRoles(value: string): ReadonlySet<ProcessRole> {
  const parts = value.split(",").map((part) => part.trim());
  const isRole = (part: string): part is ProcessRole => PROCESS_ROLES.some((role) => role === part);
  if (!parts.every(isRole))
    throw buildWrongValue("BUSBAR_ROLES", `must be a list of ${PROCESS_ROLES.join(", ")}, not "${value}"`);
  return new Set(parts);
}

/** Parses `id:base64(32 bytes)[,id:…]`. Exported for the keys file of the embedded database. */
export function parseEncryptionKeys(value: string, name = "BUSBAR_ENCRYPTION_KEYS"): EncryptionKey[] {
  const keys = value.split(",").map((part) => {
    const colon = part.indexOf(":");
    const id = part.slice(0, colon).trim();
    const secret = Buffer.from(part.slice(colon + 1).trim(), "base64");
    if (colon < 1 || !/^[A-Za-z0-9_-]{1,32}$/.test(id) || secret.length !== 32) {
      throw buildWrongValue(
        name,
        "must be id:base64[,id:base64…]: each id of letters, digits, _ and -, each key of 32 bytes",
      );
    }
    return { id, secret };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length)
    throw buildWrongValue(name, "names the same key id twice");
  return keys;
}

interface Oidc {
  issuer: string;
  clientId: string;
  clientSecret?: string | undefined;
  trustEmail: boolean;
}

/** Undefined: people sign in with a key. */
function readOidc(env: Environment): Oidc | undefined {
  const issuer = env["BUSBAR_OIDC_ISSUER"];
  const clientId = env["BUSBAR_OIDC_CLIENT_ID"];
  if (!issuer && !clientId) {
    if (env["BUSBAR_OIDC_CLIENT_SECRET"])
      throw buildWrongValue("BUSBAR_OIDC_CLIENT_SECRET", "is of use with BUSBAR_OIDC_ISSUER only");
    return undefined;
  }
  if (!issuer || !isWebAddress(issuer)) {
    throw buildWrongValue("BUSBAR_OIDC_ISSUER", "must be the issuer's https:// address");
  }
  if (!clientId) throw buildWrongValue("BUSBAR_OIDC_CLIENT_ID", "must be set when BUSBAR_OIDC_ISSUER is");
  const clientSecret = env["BUSBAR_OIDC_CLIENT_SECRET"] || undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    trustEmail: boolean("BUSBAR_OIDC_TRUST_EMAIL", undefined, false).read(env),
  };
}
