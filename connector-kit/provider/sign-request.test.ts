/** Requests are signed as AWS verifies them, whatever their path, query, headers and body are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findAwsRefusal } from "../../tests/simulations/simulated-aws.ts";
import { signRequest, UnsignableRequest, type UnsignedRequest } from "./sign-request.ts";

const KEY = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const SUITE = { service: "service", region: "us-east-1", ...KEY };
const atMs = () => Date.parse("2015-08-30T12:36:00Z");
const host = "example.amazonaws.com";

const signed = (more: Partial<UnsignedRequest>, signer = SUITE) =>
  signRequest(signer, { method: "GET", host, path: "/", headers: [], ...more }, atMs);

const readValue = (headers: readonly string[], name: string): string | undefined =>
  headers[headers.findIndex((one, at) => at % 2 === 0 && one.toLowerCase() === name) + 1];

/** Asserts that AWS would accept the request; returns what arrives there. */
async function accepted(more: Partial<UnsignedRequest>, signer = SUITE) {
  const request = await signed(more, signer);
  const body = Buffer.from(more.body ?? "");
  const arrived = {
    method: more.method ?? "GET",
    url: request.path,
    rawHeaders: ["host", host, ...request.headers],
    body,
  };
  assert.deepEqual(findAwsRefusal(arrived, signer, atMs()), undefined, JSON.stringify(arrived));
  return request;
}

test("the signatures of AWS's test suite are made", async () => {
  const form = ["Content-Type", "application/x-www-form-urlencoded"];
  const vectors: [Partial<UnsignedRequest>, string][] = [
    [{}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      { path: "/?Param2=value2&Param1=value1" },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [{ path: "/?%E1%88%B4=bar" }, "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"],
    [
      { path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" },
      "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ],
    [{ path: "/./example" }, "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"],
    [{ path: "//example//" }, "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"],
    [{ method: "POST" }, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    [
      { method: "POST", headers: form, body: "Param1=value1" },
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ];
  for (const [request, signature] of vectors) {
    const { headers } = await accepted(request);
    const names = request.headers ? "content-type;host;x-amz-date" : "host;x-amz-date";
    assert.equal(
      readValue(headers, "authorization"),
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    );
    assert.equal(readValue(headers, "x-amz-date"), "20150830T123600Z");
  }
});

test("paths and queries are sent in the one form in which they are signed", async () => {
  const forms = [
    ["/a b", "/a%20b"],
    ["/functions/arn:aws:lambda:*", "/functions/arn%3Aaws%3Alambda%3A%2A"],
    ["/a%2Fb%2fc/%7Ed/(e)'!", "/a%2Fb%2Fc/~d/%28e%29%27%21"],
    ["/100%/%zz/%", "/100%25/%25zz/%25"],
    ["/\u00e9/\u00c3\u00a9/%c3%a9", "/%E9/%C3%A9/%C3%A9"],
    ["/x?b=2&a=1&a=0&&a=", "/x?b=2&a=1&a=0&a="],
    ["/x?flag&flag=&=v", "/x?flag&flag=&=v"],
    ["/x?q=a+b%2Bc*(d);e=f", "/x?q=a%20b%2Bc%2A%28d%29%3Be%3Df"],
    ["/x?q=%c3%bc%F0%9F%98%80&%EF%BB%BFq=%25", "/x?q=%C3%BC%F0%9F%98%80&%EF%BB%BFq=%25"],
    ["/x?a/b?c=d/e?f", "/x?a%2Fb%3Fc=d%2Fe%3Ff"],
    ["/x?", "/x"],
  ] as const;
  for (const [path, sent] of forms) {
    for (const service of ["execute-api", "s3"]) {
      const { path: found } = await accepted({ path }, { ...SUITE, service });
      const [step = "", ...query] = sent.split("?");
      const ofS3 = [step.replaceAll("%2F", "/"), ...query].join("?");
      assert.equal(found, service === "s3" ? ofS3 : sent);
    }
  }
});

test("the caller's parts of a signature are replaced, under any spelling; its other headers stay and count", async () => {
  const { path, headers } = await accepted({
    method: "POST",
    path: "/?X-Amz-Signature=evil&x-amz-%63redential=evil&X-Amz-Security-Token=evil&keep=1",
    headers: [
      ["AUTHORIZATION", "evil", "x-amz-DATE", "evil", "X_Amz_Security_Token", "evil", "Date", "evil"],
      ["X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD", "X-Amz-Target", "AWSIdentityStore.ListUsers"],
      ["X-Amz-Meta", "  a   b ", "x-amz-meta", "c", "Accept", "*/*", "X-Forwarded-For", "1.2.3.4"],
    ].flat(),
    body: Buffer.from([0, 255, 13, 10]),
  });
  assert.equal(path, "/?keep=1");
  assert.ok(!headers.join().includes("evil"));
  assert.ok(headers.includes("1.2.3.4"));
  assert.match(
    readValue(headers, "authorization") ?? "",
    /SignedHeaders=host;x-amz-date;x-amz-meta;x-amz-target,/,
  );
});

test("an encoded slash in a key of S3 is signed and sent as a slash", async () => {
  const s3 = { ...SUITE, service: "s3" };
  const [encoded, plain] = [await accepted({ path: "/a%2Fb" }, s3), await accepted({ path: "/a/b" }, s3)];
  assert.deepEqual(encoded, plain);
});

test("a body of S3 has its digest as a header", async () => {
  const { headers } = await accepted(
    { method: "PUT", path: "/a%20b//c", body: "x" },
    { ...SUITE, service: "s3" },
  );
  assert.equal(
    readValue(headers, "x-amz-content-sha256"),
    "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
  );
});

test("what cannot be signed is refused with the reason", async () => {
  await assert.rejects(signed({ path: "/?q=%FF" }), UnsignableRequest);
  await assert.rejects(signed({ headers: ["Content-Encoding", "gzip, aws-chunked"] }), /aws-chunked/);
});
