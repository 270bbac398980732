/** Providers whose requests are signed: Amazon Web Services of the catalog, and a builder's own, on a simulated AWS. */
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import type { ArrivedRequest, Intercept, RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import type { VendorAnswer } from "../../simulations/vendor/vendor-answer.ts";
import { openSimulatedAws, STS_PATH, type SimulatedAws } from "../simulations/simulated-aws.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openTestVendor } from "../harness/test-vendor.ts";
import { until } from "../harness/until.ts";

const CONNECTOR = {
  defaults: {
    list: { path: "/v1/{path}" },
    records: "items",
    paging: { cursor: { from: "next", to: "query.token" } },
    create: { method: "POST", path: "/v1/{path}" },
    update: { method: "PUT", path: "/v1/{path}/{id}" },
    delete: { method: "DELETE", path: "/v1/{path}/{id}" },
  },
  objects: { users: {} },
  errors: { message: ["message"] },
  sources: { documentation: "https://docs.gate.example", checked: "2026-11-23, documentation only" },
};
const oneUser = (method: "POST" | "PUT") => ({
  source: "",
  method,
  path: method === "POST" ? "/v1/users" : "/v1/users/{id}",
  success: [method === "POST" ? 201 : 200],
  record: "",
});
/** What both answer behind their signatures. */
const FACTS: Facts = {
  provider: "x-gate",
  sources: {},
  hosts: [],
  objects: {
    users: {
      id: { path: "id", type: "string" },
      list: {
        source: "",
        method: "GET",
        path: "/v1/users",
        openQuery: true,
        success: [200],
        records: "items",
        paging: { kind: "cursor", from: "next", to: "query.token" },
      },
      create: oneUser("POST"),
      update: oneUser("PUT"),
    },
  },
};
const KEY = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "wJalr/XUtn+FEMI" };
const MANIFEST = `
specVersion: 1.0.0
integrations:
  - { name: directory, provider: aws, proxy: { enabled: true, useModule: true } }
  - { name: gate, provider: x-gate, proxy: { enabled: true }, write: { objects: [{ objectName: users }] } }
`;

const FORBIDDEN: VendorAnswer = {
  status: 403,
  headers: {},
  body: { __type: "AccessDeniedException", message: "no" },
};

interface Answer {
  status: number;
  body: string;
  headers: NodeJS.Dict<string | string[]>;
}

describe("providers whose requests are signed", () => {
  let busbar: TestBusbar;
  let aws: RunningVendor;
  let gate: RunningVendor;
  let simulatedAws: SimulatedAws;
  const arrived: ArrivedRequest[] = [];
  let isDown = false;
  /** Path of requests that are not permitted. A health check may come beside and is answered as ever. */
  let forbiddenPath = "";

  before(async () => {
    const simulate = async (service: string, region: string) => {
      const opened = openSimulatedAws({ service, region, ...KEY });
      const intercept: Intercept = (request, carryOut) => {
        arrived.push(request);
        if (request.url === forbiddenPath) return FORBIDDEN;
        return isDown ? { status: 503, headers: {}, body: {} } : (opened.admit(request) ?? carryOut());
      };
      return { opened, running: await openTestVendor(FACTS, { intercept }) };
    };
    const first = await simulate("identitystore", "eu-central-1");
    ({ opened: simulatedAws, running: aws } = first);
    gate = (await simulate("execute-api", "us-east-1")).running;
    const { origin } = new URL(aws.url);
    busbar = await openTestBusbar({
      providers: {
        aws: {
          baseURL: aws.url,
          modules: { "aws-identity-center": { baseURL: aws.url } },
          authHealthCheck: { url: `${origin}${STS_PATH}?Action=GetCallerIdentity&Version=2011-06-15` },
        },
      },
    });
    const put = await busbar.inProject("PUT", "/providers/x-gate", customProvider());
    assert.equal(put.status, 200, put.text);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    await connected("directory", "aws", "acme");
    await connected("gate", "x-gate", "acme");
  });
  after(async () => {
    await busbar?.stop();
    await aws?.close();
    await gate?.close();
  });

  const customProvider = (more: object = {}) => ({
    displayName: "Gate",
    authType: "basic",
    baseURL: gate.url,
    awsSignature: { service: "execute-api", region: "us-east-1" },
    connector: CONNECTOR,
    ...more,
  });

  const region = (value: string) => ({ providerMetadata: { region: { value, source: "input" } } });
  const generate = (provider: string, groupRef: string, more: object = {}) =>
    busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "ada",
      basicAuth: { username: KEY.accessKeyId, password: KEY.secretAccessKey },
      ...(provider === "aws" && region("eu-central-1")),
      ...more,
    });

  async function connected(
    integration: string,
    provider: string,
    groupRef: string,
    more: object = {},
  ): Promise<string> {
    const made = await generate(provider, groupRef, more);
    assert.equal(made.status, 201, made.text);
    const objects = { users: { objectName: "users" } };
    const content = { provider, ...(provider === "x-gate" && { write: { objects } }) };
    const installed = await busbar.inProject("POST", `/integrations/${integration}/installations`, {
      groupRef,
      config: { content },
    });
    assert.equal(installed.status, 201, installed.text);
    return made.body.id;
  }

  /** Sends what `fetch` would change: paths, and bodies in chunks. */
  const proxied = (
    method: string,
    path: string,
    { groupRef = "acme", integration = "directory", headers = {}, body = [] as Buffer[] } = {},
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(busbar.server.urls.proxy);
      const names = {
        "x-api-key": busbar.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-integration-name": integration,
        "x-amp-group-ref": groupRef,
      };
      const sent = httpRequest(
        { hostname, port, method, path, headers: { ...names, ...headers } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("end", () => {
            const { statusCode: status = 0 } = answer;
            resolve({ status, body: Buffer.concat(chunks).toString(), headers: answer.headers });
          });
        },
      );
      sent.on("error", reject);
      for (const chunk of body) sent.write(chunk);
      sent.end();
    });

  const lastArrived = (): ArrivedRequest => {
    const request = arrived.at(-1);
    assert.ok(request);
    return request;
  };

  test("the catalog promises calls through the proxy", async () => {
    const { body } = await busbar.call("GET", "/v1/providers/aws");
    assert.equal(body.support.proxy, true);
    assert.equal(body.modules["aws-identity-center"].support.proxy, true);
    assert.equal(body.documentationOnly, undefined);
  });

  test("calls are signed over path, query, headers and body, and AWS answers", async () => {
    aws.vendor.records.put("users", { fields: { name: "Ada" } });
    const listed = await proxied("GET", "/v1/users?b=2&a=%2F&a=1&flag&q=x+y&u=%c3%bc");
    assert.equal(listed.status, 200, listed.body);
    assert.equal(JSON.parse(listed.body).items[0].name, "Ada");
    assert.equal(lastArrived().url, "/v1/users?b=2&a=%2F&a=1&flag&q=x%20y&u=%C3%BC");
    const body = Buffer.from(JSON.stringify({ name: "Grüße" }));
    const headers = { "content-type": "application/json", "x-amz-target": "AWSIdentityStore.CreateUser" };
    const created = await proxied("POST", "/v1/users", { headers, body: [body] });
    assert.equal(created.status, 201, created.body);
    assert.match(
      lastArrived().rawHeaders.join("\n"),
      /SignedHeaders=content-type;host;x-amz-date;x-amz-target/,
    );
    const missing = await proxied("GET", "/v1/users//%2e/a%2Fb%20c:(d)*~/nothing%20here/");
    assert.equal(missing.status, 404, missing.body);
  });

  test("nothing that the caller sends takes part in the signature instead of Busbar's own", async () => {
    const headers = {
      authorization:
        "AWS4-HMAC-SHA256 Credential=EVIL/20150830/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=00",
      "x-amz-date": "20150830T123600Z",
      "x-amz-security-token": "evil",
      "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
      connection: "keep-alive, x-amz-hop",
      "x-amz-hop": "evil",
    };
    const answer = await proxied("GET", "/v1/users?X-Amz-Signature=evil&X-Amz-Credential=evil", { headers });
    assert.equal(answer.status, 200, answer.body);
    const { url, rawHeaders } = lastArrived();
    assert.equal(url, "/v1/users");
    assert.doesNotMatch(rawHeaders.join("\n"), /evil|UNSIGNED/i);
  });

  test("a body of 1 MiB is signed, in chunks too; a larger one is refused with the limit, before it is sent", async () => {
    const headers = { "content-type": "application/json" };
    const text = (bytes: number) => Buffer.from(`{"name":"${"x".repeat(bytes - 11)}"}`);
    const max = 1024 * 1024;
    const whole = text(max);
    const chunks = [whole.subarray(0, 100_000), whole.subarray(100_000)];
    const fits = await proxied("POST", "/v1/users", { headers, body: chunks });
    assert.equal(fits.status, 201, fits.body.slice(0, 500));
    const before = arrived.length;
    const larger = text(max + 1);
    const announced = { ...headers, "content-length": String(larger.length), expect: "100-continue" };
    for (const given of [headers, announced]) {
      const refused = await proxied("POST", "/v1/users", { headers: given, body: [larger] });
      assert.equal(refused.status, 413, refused.body);
      assert.equal(refused.headers["x-amp-error"], "true");
      assert.match(refused.body, /1048576 bytes \(1 MiB\)/);
    }
    assert.equal(arrived.length, before);
  });

  test("what cannot be signed is refused with the reason", async () => {
    const query = await proxied("GET", "/v1/users?q=%FF");
    assert.deepEqual([query.status, query.headers["x-amp-error"]], [400, "true"]);
    assert.match(query.body, /must be UTF-8/);
  });

  test("the provider's own refusal is passed on when the clocks differ, and the connection stays as it is", async () => {
    simulatedAws.aheadMs = 10 * 60_000;
    const refused = await proxied("GET", "/v1/users");
    simulatedAws.aheadMs = 0;
    assert.equal(refused.status, 403);
    const { __type, message } = JSON.parse(refused.body);
    assert.equal(__type, "InvalidSignatureException");
    assert.match(message, /^Signature expired/);
    assert.equal(refused.headers["x-amp-error"], undefined);
    assert.equal((await proxied("GET", "/v1/users")).status, 200);
  });

  test("a wrong secret: the provider's 403 is passed on, its health check makes the connection bad, new keys heal it", async () => {
    const wrong = { basicAuth: { username: KEY.accessKeyId, password: "wrong" } };
    const tried = await generate("aws", "globex", wrong);
    assert.equal(tried.status, 422, tried.text);
    assert.match(tried.body.detail, /refuses these credentials.*403/);
    // Stored while nothing was known of it.
    isDown = true;
    const id = await connected("directory", "aws", "globex", wrong);
    isDown = false;
    const status = async () => (await busbar.inProject("GET", `/connections/${id}`)).body.status;
    const refused = await proxied("GET", "/v1/users", { groupRef: "globex" });
    assert.equal(refused.status, 403);
    assert.match(refused.body, /^\{"__type":"InvalidSignatureException","message":"The request signature we/);
    await until(async () => (await status()) === "bad_credentials");
    const renewed = await generate("aws", "globex");
    assert.equal(renewed.status, 201, renewed.text);
    assert.equal((await proxied("GET", "/v1/users", { groupRef: "globex" })).status, 200);
    await until(async () => (await status()) === "working");
  });

  test("a check of the connection asks AWS who signed", async () => {
    const id = await connected("directory", "aws", "initech");
    const good = await busbar.inProject("POST", `/connections/${id}:check`);
    assert.deepEqual(
      [good.status, good.body.check.working, good.body.status],
      [200, true, "working"],
      good.text,
    );
    const unknown = { basicAuth: { username: "AKIAOTHER", password: "x" } };
    isDown = true;
    const bad = await connected("directory", "aws", "umbrella", unknown);
    isDown = false;
    const { body } = await busbar.inProject("POST", `/connections/${bad}:check`);
    assert.deepEqual([body.check.working, body.status], [false, "bad_credentials"]);
  });

  test("a permission that is missing leaves the connection working", async () => {
    const before = arrived.length;
    forbiddenPath = "/v1/users?forbidden=1";
    assert.equal((await proxied("GET", forbiddenPath, { groupRef: "initech" })).status, 403);
    await until(async () => arrived.slice(before).some(({ url }) => url.startsWith(STS_PATH)));
    assert.equal((await proxied("GET", "/v1/users", { groupRef: "initech" })).status, 200);
    const { body } = await busbar.inProject("GET", "/connections?groupRef=initech");
    assert.equal(JSON.stringify(body).includes("bad_credentials"), false);
  });

  test("a region that leads elsewhere and half an access key are refused when the customer enters them", async () => {
    for (const value of ["s3", "evil.s3", "eu-central-1.evil"]) {
      const refused = await generate("aws", "hooli", region(value));
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /providerMetadata\.region/);
    }
    const missing = await generate("aws", "hooli", { providerMetadata: {} });
    assert.equal(missing.status, 400, missing.text);
    const half = await generate("aws", "hooli", { basicAuth: { username: KEY.accessKeyId, password: "" } });
    assert.equal(half.status, 400, half.text);
    assert.match(half.body.detail, /secret access key as password/);
  });

  test("a builder's custom provider writes and is called with signed requests", async () => {
    const create = { groupRef: "acme", type: "create", record: { name: "Grace & co" } };
    const made = await busbar.write("gate", "users", create);
    assert.equal(made.body.result.success, true, made.text);
    const update = {
      groupRef: "acme",
      type: "update",
      record: { id: made.body.result.recordId, name: "+%/ü" },
    };
    const changed = await busbar.write("gate", "users", update);
    assert.equal(changed.body.result.success, true, changed.text);
    assert.deepEqual(
      gate.vendor.records.of("users").map(({ fields }) => fields["name"]),
      ["+%/ü"],
    );
    const listed = await proxied("GET", "/v1/users", { integration: "gate" });
    assert.equal(listed.status, 200, listed.body);
  });

  test("mistakes in a provider's signature are refused with their places", async () => {
    const cases = [
      [{ authType: "none" }, "awsSignature"],
      [{ basicOpts: { apiKeyAsBasic: true } }, "awsSignature"],
      [{ awsSignature: { service: "Execute/API", region: "us-east-1" } }, "awsSignature.service"],
      [{ awsSignature: { service: "sts", region: "{{.region}}" } }, "awsSignature.region"],
      [{ awsSignature: { service: "sts", region: "us-{{.part}}" } }, "awsSignature.region"],
      [
        { awsSignature: undefined, authHealthCheck: { url: gate.url, awsService: "sts" } },
        "authHealthCheck.awsService",
      ],
    ] as const;
    for (const [more, place] of cases) {
      const refused = await busbar.inProject("PUT", "/providers/x-other", customProvider(more));
      assert.ok([400, 422].includes(refused.status), refused.text);
      const places = refused.body.issues.map(({ name }: { name: string }) => name);
      assert.ok(
        places.some((name: string) => name.endsWith(place)),
        refused.text,
      );
    }
  });

  test("the secret was never sent, neither alone nor with the access key as HTTP Basic", () => {
    const pair = Buffer.from(`${KEY.accessKeyId}:${KEY.secretAccessKey}`).toString("base64");
    for (const { url, rawHeaders, body } of arrived) {
      const all = `${url}\n${rawHeaders.join("\n")}\n${body.toString("latin1")}`;
      assert.ok(!all.includes(KEY.secretAccessKey) && !all.includes(pair));
    }
  });
});
