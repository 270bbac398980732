/** What a rotating token endpoint and a database in trouble can do to a refresh: no refresh token is lost or sent twice. */
import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { Client as Postgres } from "pg";
import { openTestBusbar, type Answer, type TestBusbar } from "../../tests/harness/busbar.ts";
import { listen } from "../../tests/harness/proxy/wire.ts";
import { refreshOnlyOnDemand } from "../../tests/harness/refresh-only-on-demand.ts";
import { until } from "../../tests/harness/until.ts";
import { bootstrap } from "../access/bootstrap.ts";
import { sealCredentials, type StoredCredentials } from "../credentials/stored/credential-envelope.ts";
import { createLog } from "../../ground/log.ts";
import { Sealer } from "../../ground/seal.ts";
import { openDatabase } from "../store/database/open-database.ts";

const KEY = Buffer.alloc(32, 7);
const MANIFEST = `specVersion: 1.0.0
integrations:
  - { name: rotating, provider: rotating, proxy: { enabled: true } }
`;

describe("a token refresh", () => {
  let busbar: TestBusbar;
  let server: Server;
  let sql: Postgres;
  /** Refresh tokens that were sent, in order. */
  let sent: string[] = [];
  /** Answers a request that sent this refresh token. */
  let answer: (refreshToken: string, response: ServerResponse) => void | Promise<void> = rotate;
  after(async () => {
    await sql.end();
    await busbar.stop();
    server.close().closeAllConnections();
  });
  before(async () => {
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      if (request.url !== "/token") return response.end("{}");
      const refreshToken = new URLSearchParams(body).get("refresh_token") ?? "";
      sent.push(refreshToken);
      await answer(refreshToken, response);
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    busbar = await openTestBusbar({
      providers: {
        rotating: {
          authType: "oauth2",
          baseURL: url,
          support: { proxy: true },
          oauth2Opts: {
            grantType: "authorizationCode",
            authURL: `${url}/authorize`,
            tokenURL: `${url}/token`,
            reuseRevokes: true,
          },
        },
      },
    });
    await refreshOnlyOnDemand(busbar.connectionString);
    sql = new Postgres({ connectionString: busbar.connectionString, application_name: "test" });
    await sql.connect();
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    await addApp(busbar);
  });
  beforeEach(() => {
    sent = [];
    answer = rotate;
  });

  /** A project, and the key that opens it. */
  interface Project {
    projectId: string;
    apiKey: string;
  }
  const inProject = ({ projectId, apiKey }: Project, method: string, path: string, body?: unknown) =>
    busbar.call(method, `/v1/projects/${projectId}${path}`, body, { "x-api-key": apiKey });
  const addApp = async (project: Project) => {
    const app = { provider: "rotating", clientId: "client", clientSecret: "secret" };
    const made = await inProject(project, "POST", "/provider-apps", app);
    assert.equal(made.status, 200, made.text);
  };

  let connections = 0;
  /** A connection whose access token has ended. */
  async function connect(project: Project = busbar, token = "first"): Promise<string> {
    connections += 1;
    const made = await inProject(project, "POST", "/connections:generate", {
      provider: "rotating",
      groupRef: `group-${connections}`,
      consumerRef: "ada",
      oauth2AuthorizationCode: {
        accessToken: { token: "old", expiresAt: "2020-01-01T00:00:00Z" },
        refreshToken: { token: `${token}-${connections}` },
      },
    });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  }
  const refresh = (id: string, project: Project = busbar): Promise<Answer> =>
    inProject(project, "GET", `/connections/${id}?refresh=force`);
  const stored = async (id: string): Promise<{ status: string; refreshToken: string }> => {
    const { body } = await busbar.inProject(
      "GET",
      `/connections/${id}?includeCreds=true&includeRefreshToken=true`,
    );
    return { status: body.status, refreshToken: body.oauth2AuthorizationCode.refreshToken.token };
  };
  /** Ends all sessions, like a restart of PostgreSQL. */
  const endSessions = () =>
    sql.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );

  test("survives the end of every database session while the provider answers", async () => {
    const id = await connect();
    answer = async (token, response) => {
      await endSessions();
      rotate(token, response);
    };
    const refreshed = await refresh(id);
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.deepEqual(await stored(id), { status: "created", refreshToken: `after-${sent[0]}` });
    answer = rotate;
    assert.equal((await refresh(id)).status, 200, "the successor was not lost");
    assert.equal(sent.length, 2);
  });

  test("holds no database connection while the provider answers, and 17 of a project run at once", async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => connect()));
    const open: (() => void)[] = [];
    answer = (token, response) => void open.push(() => rotate(token, response));
    const refreshes = ids.map((id) => refresh(id));
    // Of a hundred that take 3 s each, the last one ends within 20 s.
    await until(() => open.length >= 17);
    // A statement of something else in the background may be between two steps; one that waits for the provider stays.
    await until(async () => {
      const { rows } = await sql.query(
        "select count(*)::int as count from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
      );
      return rows[0].count === 0;
    });
    assert.equal((await busbar.inProject("GET", `/connections/${ids[0]}`)).status, 200);
    answer = rotate;
    for (const go of open) go();
    assert.deepEqual([...new Set((await Promise.all(refreshes)).map(({ status }) => status))], [200]);
  });

  test("does not wait for another project whose token endpoint is slow", async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    const other = await bootstrap(database.queries, { org: "Other", project: "slow" });
    await database.close();
    await addApp(other);
    const slow = await Promise.all(Array.from({ length: 60 }, () => connect(other, "slow")));
    const id = await connect();
    const open: (() => void)[] = [];
    answer = (token, response) =>
      token.startsWith("slow-") ? void open.push(() => rotate(token, response)) : rotate(token, response);
    const slowRefreshes = slow.map((one) => refresh(one, other));
    await until(() => open.length >= 15);
    assert.equal((await refresh(id)).status, 200);
    answer = rotate;
    for (const go of open) go();
    await Promise.all(slowRefreshes);
  });

  test("whose token somebody else has replaced meanwhile does not end the connection", async () => {
    const id = await connect();
    answer = async (_, response) => {
      const credentials: StoredCredentials = {
        scheme: "oauth2/authorizationCode",
        accessToken: { token: "theirs" },
        refreshToken: { token: "their-refresh-token" },
      };
      const sealer = new Sealer([{ id: "test", secret: KEY }]);
      const sealed = sealCredentials(sealer, { id, projectId: busbar.projectId }, credentials);
      await sql.query("update connections set credentials_sealed = $2 where id = $1", [id, sealed]);
      response.writeHead(400).end(JSON.stringify({ error: "invalid_grant" }));
    };
    const answered = await refresh(id);
    assert.equal(answered.status, 200, answered.text);
    assert.deepEqual(await stored(id), { status: "created", refreshToken: "their-refresh-token" });
  });

  test("needs scope full when it is forced: a browser key cannot make Busbar call token endpoints", async () => {
    const id = await connect();
    const key = await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] });
    const headers = { "x-api-key": key.body.key };
    const path = `/v1/projects/${busbar.projectId}/connections/${id}`;
    assert.equal((await busbar.call("GET", `${path}?refresh=force`, undefined, headers)).status, 403);
    assert.equal(sent.length, 0);
    assert.equal((await busbar.call("GET", path, undefined, headers)).status, 200);
  });
});

/** Answers as a provider that rotates refresh tokens. */
function rotate(refreshToken: string, response: ServerResponse): void {
  const tokens = { access_token: "new", refresh_token: `after-${refreshToken}`, expires_in: 3_600 };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(tokens));
}
