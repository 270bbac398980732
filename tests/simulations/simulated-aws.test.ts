/** The simulated AWS accepts the signatures that AWS published for its test suite, and no others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArrivedRequest } from "../../simulations/vendor/start-vendor.ts";
import { findAwsRefusal } from "./simulated-aws.ts";

/** Vectors of AWS's "Signature Version 4 test suite". */
const SUITE = {
  service: "service",
  region: "us-east-1",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const AT_MS = Date.parse("2015-08-30T12:36:00Z");
const FORM = "application/x-www-form-urlencoded";

/** Name of the vector, method, request target and signature; content type and body. */
const VECTORS: [string, string, string, string, ...string[]][] = [
  ["get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    "/?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "get-vanilla-utf8-query",
    "GET",
    "/?\u1234=bar",
    "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
  ],
  [
    "get-unreserved",
    "GET",
    "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  ],
  ["get-utf8", "GET", "/\u1234", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
  ["get-space", "GET", "/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"],
  [
    "get-relative-relative",
    "GET",
    "/example1/example2/../..",
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  ],
  [
    "get-slash-pointless-dot",
    "GET",
    "/./example",
    "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5",
  ],
  ["get-slashes", "GET", "//example//", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"],
  ["post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "post-vanilla-query",
    "POST",
    "/?Param1=value1",
    "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
  ],
  [
    "post-x-www-form-urlencoded",
    "POST",
    "/",
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    FORM,
    "Param1=value1",
  ],
];

function arrived([, method, url, signature, type, body = ""]: (typeof VECTORS)[number]): ArrivedRequest {
  const scope = "20150830/us-east-1/service/aws4_request";
  const names = `${type === undefined ? "" : "content-type;"}host;x-amz-date`;
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return {
    method,
    // As it arrives: in bytes.
    url: Buffer.from(url).toString("latin1"),
    rawHeaders: [
      ["Host", "example.amazonaws.com", "X-Amz-Date", "20150830T123600Z"],
      type === undefined ? [] : ["Content-Type", type],
      ["Authorization", authorization],
    ].flat(),
    body: Buffer.from(body),
  };
}

for (const vector of VECTORS)
  test(`${vector[0]} is accepted, and no other method, path, body or key`, () => {
    const request = arrived(vector);
    assert.equal(findAwsRefusal(request, SUITE, AT_MS), undefined);
    const changes: Partial<ArrivedRequest>[] = [
      { method: "PUT" },
      { url: `${request.url}x` },
      { body: Buffer.from("x") },
    ];
    for (const change of changes)
      assert.equal(
        findAwsRefusal({ ...request, ...change }, SUITE, AT_MS)?.type,
        "InvalidSignatureException",
      );
    const other = { ...SUITE, secretAccessKey: `${SUITE.secretAccessKey}x` };
    assert.match(
      findAwsRefusal(request, other, AT_MS)?.message ?? "",
      /^The request signature we calculated/,
    );
  });

test("a request of another time, key, region or service is refused, and headers that should be signed", () => {
  const [vector] = VECTORS;
  assert.ok(vector);
  const request = arrived(vector);
  assert.match(findAwsRefusal(request, SUITE, AT_MS + 301_000)?.message ?? "", /^Signature expired/);
  assert.match(findAwsRefusal(request, SUITE, AT_MS - 301_000)?.message ?? "", /^Signature expired/);
  const { type } = findAwsRefusal(request, { ...SUITE, accessKeyId: "AKIDOTHER" }, AT_MS) ?? {};
  assert.equal(type, "UnrecognizedClientException");
  for (const other of [{ region: "eu-west-1" }, { service: "sts" }])
    assert.match(findAwsRefusal(request, { ...SUITE, ...other }, AT_MS)?.message ?? "", /scoped/);
  const rawHeaders = [...request.rawHeaders, "X-Amz-Target", "Evil.Do"];
  assert.match(
    findAwsRefusal({ ...request, rawHeaders }, SUITE, AT_MS)?.message ?? "",
    /'x-amz-target' must be/,
  );
  const none = findAwsRefusal({ ...request, rawHeaders: ["Host", "example.amazonaws.com"] }, SUITE, AT_MS);
  assert.equal(none?.type, "MissingAuthenticationTokenException");
});

test("S3 takes the path as it is, and requires the digest of the body", () => {
  // Example in S3's "Signature Calculations for the Authorization Header": GET Bucket Lifecycle.
  const account = {
    service: "s3",
    region: "us-east-1",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const signature = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543";
  const rawHeaders = [
    "Host",
    "examplebucket.s3.amazonaws.com",
    "x-amz-date",
    "20130524T000000Z",
    "x-amz-content-sha256",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "Authorization",
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=${signature}`,
  ];
  const request = { method: "GET", url: "/?lifecycle", rawHeaders, body: Buffer.alloc(0) };
  assert.equal(findAwsRefusal(request, account, Date.parse("2013-05-24T00:00:00Z")), undefined);
  const longer = { ...request, body: Buffer.from("x") };
  const refusal = findAwsRefusal(longer, account, Date.parse("2013-05-24T00:00:00Z"));
  assert.equal(refusal?.type, "XAmzContentSHA256Mismatch");
});
