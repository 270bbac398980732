/** Conformance tests for AWS destinations, with a service that checks signatures with the SDK's own signer. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { openDestinationNetwork } from "../../../server/deliver/destination-network.ts";
import { openEgress } from "../../../server/egress/open-egress.ts";
import type { DestinationType, Message, Outcome } from "../../../destination-kit/destination.ts";
import {
  answered,
  assertStorable,
  openSample,
  sampleMessage,
  testNetwork,
  type DestinationSample,
} from "./destination-suite.ts";

interface AwsService {
  /** The service's name in signatures. */
  name: string;
  region: string;
  secrets: { awsKeyId: string; awsSecretKey: string; awsSessionToken?: string };
}

export interface Arrived {
  method: string;
  /** From the request line, unchanged. */
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

interface AwsDouble {
  url: string;
  arrived: Arrived[];
  /** Sets its clock ahead. */
  aheadMs: number;
  close(): Promise<void>;
}

/** The services refuse older requests; S3 allows 15 minutes. */
const OLDEST_MS = 15 * 60_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/[^/]+\/aws4_request), SignedHeaders=([^,]+), Signature=[0-9a-f]{64}$/;

/** Opens a service that answers `taken` to requests with a valid signature, and 403 to others. */
async function openAwsDouble(service: AwsService, taken: string): Promise<AwsDouble> {
  const server = createServer((request, response) => {
    void read(request).then(async (arrived) => {
      double.arrived.push(arrived);
      const refusal = await refusalOf(arrived, service, Date.now() + double.aheadMs);
      if (!refusal) return response.writeHead(200).end(taken);
      const xml = `<Error><Code>${refusal}</Code><Message>refused</Message></Error>`;
      const body = service.name === "s3" ? xml : JSON.stringify({ __type: refusal, message: "refused" });
      return response.writeHead(403).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const double: AwsDouble = {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    arrived: [],
    aheadMs: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return double;
}

async function read(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "", url: path = "", headers } = request;
  return { method, path, headers: { ...headers } as Record<string, string>, body: Buffer.concat(chunks) };
}

/** Returns the services' error code for a request; undefined when the SDK would have signed it in the same way. */
async function refusalOf(
  arrived: Arrived,
  { name, region, secrets }: AwsService,
  nowMs: number,
): Promise<string | undefined> {
  const { headers, body, method, path } = arrived;
  const { authorization = "", host = "" } = headers;
  const [, keyId, scope, names = ""] = AUTHORIZATION.exec(authorization) ?? [];
  const stamp = headers["x-amz-date"] ?? "";
  if (keyId !== secrets.awsKeyId) return "UnrecognizedClientException";
  if (scope !== `${stamp.slice(0, 8)}/${region}/${name}/aws4_request`) return "SignatureDoesNotMatch";
  const signingDate = new Date(stamp.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(nowMs - signingDate.getTime()) <= OLDEST_MS)) return "RequestTimeTooSkewed";
  const hash = createHash("sha256").update(body).digest("hex");
  if ((headers["x-amz-content-sha256"] ?? hash) !== hash) return "XAmzContentSHA256Mismatch";

  const signer = new SignatureV4({
    service: name,
    region,
    credentials: {
      accessKeyId: secrets.awsKeyId,
      secretAccessKey: secrets.awsSecretKey,
      sessionToken: secrets.awsSessionToken,
    },
    sha256: Sha256,
    // S3 signs the path as it is; other services escape it once more.
    uriEscapePath: name !== "s3",
  });
  const url = new URL(path, `http://${host}`);
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(names.split(";").map((one) => [one, headers[one] ?? ""])),
      body,
    },
    { signingDate },
  );
  return signed.headers["authorization"] === authorization ? undefined : "SignatureDoesNotMatch";
}

interface AwsSample extends DestinationSample {
  service: AwsService;
  /** Body of the service's answer to an accepted request. */
  takenBody: string;
}

/** Delivers one message through the egress guard and over HTTP to a double of the sample's service. */
export async function deliverToDouble(
  type: DestinationType,
  { service, takenBody, ...sample }: AwsSample,
  message: Message = sampleMessage(),
  look: (double: AwsDouble, outcome: Outcome) => Promise<void> = async () => {},
): Promise<{ outcome: Outcome; arrived: Arrived }> {
  const double = await openAwsDouble(service, takenBody);
  const egress = openEgress(["127.0.0.1"]);
  const network = openDestinationNetwork({ egress, dataDir: "/nonexistent", timeoutMs: 60_000 });
  const config = { ...sample.config, region: service.region, endpointUrl: double.url };
  const channel = openSample(type, { ...sample, config }, network);
  try {
    const outcome = await channel.deliver(message);
    const [arrived] = double.arrived;
    assert.ok(arrived);
    await look(double, outcome);
    return { outcome, arrived };
  } finally {
    await channel.close();
    await egress.close();
    await double.close();
  }
}

export function testAws(type: DestinationType, sample: AwsSample): void {
  describe(`${type.type} as a service of AWS`, () => {
    test("an answer that is not the service's own is recorded unchanged", () =>
      testStrangeAnswers(type, sample));
    testSettings(type, sample);

    test("the service accepts signatures with permanent and with session credentials", async () => {
      for (const awsSessionToken of [undefined, "FwoGZXIvYXdzEXAMPLE/session+token=="]) {
        const secrets = { ...sample.service.secrets, ...(awsSessionToken && { awsSessionToken }) };
        const service = { ...sample.service, secrets };
        const { outcome, arrived } = await deliverToDouble(type, { ...sample, secrets, service });
        assert.equal(outcome.kind, "delivered", outcome.error);
        assert.equal(arrived.headers["x-amz-security-token"], awsSessionToken);
      }
    });

    test("another secret or key is refused, and the recorded attempt contains neither", async () => {
      const { awsKeyId, awsSecretKey } = sample.service.secrets;
      for (const [secrets, reason] of [
        [{ awsKeyId, awsSecretKey: "not-the-secret" }, /SignatureDoesNotMatch/],
        [{ awsKeyId: "AKIDOTHER", awsSecretKey }, /UnrecognizedClient/],
      ] as const) {
        const { outcome } = await deliverToDouble(type, { ...sample, secrets });
        assert.match(outcome.answer ?? "", reason);
        assert.deepEqual([outcome.kind, outcome.status], ["failed", 403]);
        assert.match(outcome.error ?? "", reason);
        assert.ok(!JSON.stringify(outcome).includes(secrets.awsSecretKey));
      }
    });

    test("a changed body or header, or a late request, is refused", async () => {
      await deliverToDouble(type, sample, sampleMessage(), async (double) => {
        const [{ headers, body, ...place }] = double.arrived as [Arrived];
        const last = body.length - 2;
        const changed = Buffer.from(body).fill((body[last] ?? 0) ^ 1, last, last + 1);
        const hash = createHash("sha256").update(changed).digest("hex");
        const again = (arrived: Partial<Arrived>) =>
          statusOf(double, { ...place, headers, body, ...arrived });
        assert.equal(await again({}), 200);
        assert.equal(await again({ body: changed }), 403);
        const forged = { ...headers, "x-amz-content-sha256": hash };
        assert.equal(await again({ body: changed, headers: forged }), 403);
        assert.equal(await again({ path: `${place.path}x` }), 403);
        double.aheadMs = OLDEST_MS + 10_000;
        assert.equal(await again({}), 403);
      });
    });
  });
}

function testSettings(type: DestinationType, sample: AwsSample): void {
  test("the answer to an accepted message is recorded as text that can be stored", async () => {
    const network = testNetwork();
    const body = sample.takenBody.replaceAll(/:"[^"]+"/g, ':"\\u0000\\ud800"');
    network.answer = () => answered(200, body, sample.taken?.headers);
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.equal(outcome.kind, "delivered", outcome.error);
    assertStorable(outcome);
  });

  test("a 200 without the service's own content is a failed attempt", async () => {
    // S3 answers with an empty body.
    if (sample.takenBody === "") return;
    const network = testNetwork();
    network.answer = () => answered(200, '{"ok": true}', sample.taken?.headers);
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.status], ["failed", 200]);
    assert.match(outcome.error ?? "", /answered without/);
  });

  test("Retry-After in seconds is part of the outcome", async () => {
    const network = testNetwork();
    network.answer = () => answered(503, "slower", { "retry-after": "120" });
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.retryAfterMs], ["failed", 120_000]);
  });

  test("requests go where the builder's settings say, whatever the machine's AWS settings are", async (t) => {
    const machines = { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_USE_FIPS_ENDPOINT: "true" };
    t.after(() => Object.keys(machines).forEach((name) => delete process.env[name]));
    Object.assign(process.env, machines);
    const network = testNetwork();
    await openSample(type, sample, network).deliver(sampleMessage());
    assert.match(network.requests[0]?.url.host ?? "", /^[a-z0-9.-]+\.amazonaws\.com$/);
    assert.doesNotMatch(network.requests[0]?.url.host ?? "", /fips/);
  });

  test("a key that contains a blank is refused when it is stored, and the refusal does not contain it", () => {
    for (const name of ["awsKeyId", "awsSecretKey", "awsSessionToken"] as const) {
      const secrets = { ...sample.service.secrets, [name]: "AKID EXAMPLE\n" };
      const faults = type.check({ config: sample.config, secrets }, testNetwork());
      assert.deepEqual(
        faults.map((fault) => fault.name),
        [`secrets.${name}`],
      );
      assert.ok(!JSON.stringify(faults).includes("AKID"));
    }
  });
}

/** Tests answers that no AWS service gives. */
async function testStrangeAnswers(type: DestinationType, sample: DestinationSample): Promise<void> {
  for (const text of [
    "<html>no such host</html>",
    "go away",
    '{"a": 1}',
    "[]",
    "",
    '{"__type": {"a": 1}, "message": [1]}',
    '{"__type": {"toString": 1}, "message": {"toString": 1}}',
    '{"message": {"toString": 1}}',
    "<a>".repeat(5_000),
    "<Error><__proto__><a>1</a></__proto__></Error>",
  ]) {
    const network = testNetwork();
    network.answer = () => answered(503, text);
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.status, outcome.answer], ["failed", 503, text]);
    assert.equal(outcome.error, "the receiver answered 503");
  }
}

async function statusOf(double: AwsDouble, { method, path, headers, body }: Arrived): Promise<number> {
  const { host: _host, connection: _connection, "content-length": _length, ...sent } = headers;
  const answer = await fetch(`${double.url}${path}`, { method, headers: sent, body: new Uint8Array(body) });
  await answer.text();
  return answer.status;
}
