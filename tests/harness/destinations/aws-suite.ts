/** Conformance tests for AWS destinations, with a service that checks signatures. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import { openDestinationNetwork } from "../../../server/deliver/destinations/destination-network.ts";
import { openEgress } from "../../../server/egress/open-egress.ts";
import type { DestinationType, Message, Outcome } from "../../../destination-kit/destination.ts";
import { findAwsRefusal } from "../../simulations/simulated-aws.ts";
import {
  buildExchange,
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

interface Arrived {
  method: string;
  /** Target in the request line, unchanged. */
  path: string;
  headers: Record<string, string>;
  /** Name and value in turn. */
  rawHeaders: string[];
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

/** Opens a service that answers `taken` to requests with a valid signature, and 403 to others. */
async function openAwsDouble(service: AwsService, taken: string): Promise<AwsDouble> {
  const server = createServer((request, response) => {
    void read(request).then((arrived) => {
      double.arrived.push(arrived);
      const refusal = catchRefusal(arrived, service, Date.now() + double.aheadMs);
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
  const { method = "", url: path = "", headers, rawHeaders } = request;
  const body = Buffer.concat(chunks);
  return { method, path, headers: { ...headers } as Record<string, string>, rawHeaders, body };
}

/** Returns the services' error code for a request; undefined when its signature is valid. */
function catchRefusal(
  { method, path, rawHeaders, body }: Arrived,
  { name: service, region, secrets }: AwsService,
  nowMs: number,
): string | undefined {
  const { awsKeyId: accessKeyId, awsSecretKey: secretAccessKey, awsSessionToken: sessionToken } = secrets;
  const account = { service, region, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const type = findAwsRefusal({ method, url: path, rawHeaders, body }, account, nowMs)?.type;
  return type === "InvalidSignatureException" && service === "s3" ? "SignatureDoesNotMatch" : type;
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
  check: (double: AwsDouble, outcome: Outcome) => Promise<void> = async () => {},
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
    await check(double, outcome);
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
        [{ awsKeyId, awsSecretKey: "not-the-secret" }, /SignatureDoesNotMatch|InvalidSignature/],
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
        const [{ method, path, headers, body }] = double.arrived as [Arrived];
        const last = body.length - 2;
        const changed = Buffer.from(body).fill((body[last] ?? 0) ^ 1, last, last + 1);
        const hash = createHash("sha256").update(changed).digest("hex");
        const again = (changes: Partial<Resent>) =>
          readStatus(double, { method, path, headers, body, ...changes });
        assert.equal(await again({}), 200);
        assert.equal(await again({ body: changed }), 403);
        const forged = { ...headers, "x-amz-content-sha256": hash };
        assert.equal(await again({ body: changed, headers: forged }), 403);
        assert.equal(await again({ path: `${path}x` }), 403);
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
    network.answer = () => buildExchange(200, body, sample.taken?.headers);
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.equal(outcome.kind, "delivered", outcome.error);
    assertStorable(outcome);
  });

  test("a 200 without the service's own content is a failed attempt", async () => {
    // S3 answers with an empty body.
    if (sample.takenBody === "") return;
    const network = testNetwork();
    network.answer = () => buildExchange(200, '{"ok": true}', sample.taken?.headers);
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.status], ["failed", 200]);
    assert.match(outcome.error ?? "", /answered without/);
  });

  test("Retry-After in seconds is part of the outcome", async () => {
    const network = testNetwork();
    network.answer = () => buildExchange(503, "slower", { "retry-after": "120" });
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
    network.answer = () => buildExchange(503, text);
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.status, outcome.answer], ["failed", 503, text]);
    assert.equal(outcome.error, "the receiver answered 503");
  }
}

type Resent = Omit<Arrived, "rawHeaders">;

async function readStatus(double: AwsDouble, { method, path, headers, body }: Resent): Promise<number> {
  const { host: _host, connection: _connection, "content-length": _length, ...sent } = headers;
  const answer = await fetch(`${double.url}${path}`, { method, headers: sent, body: new Uint8Array(body) });
  await answer.text();
  return answer.status;
}
