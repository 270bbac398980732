/** Checks an AWS signature by computing it again, from Amazon's documentation and not with its SDK. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import type { OutgoingRequest } from "./destination.ts";

/** Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html). */
export async function assertSignedByAws(
  request: OutgoingRequest | undefined,
  by: { service: string; region: string; secrets: { awsKeyId: string; awsSecretKey: string } },
): Promise<void> {
  assert.ok(request);
  const { url, method, headers, body = "" } = request;
  const authorization = headers["authorization"] ?? "";
  const signed = /SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization);
  assert.ok(signed, authorization);
  const [, names = "", signature] = signed;
  const stamp = headers["x-amz-date"] ?? "";
  const scope = `${stamp.slice(0, 8)}/${by.region}/${by.service}/aws4_request`;
  assert.ok(authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${by.secrets.awsKeyId}/${scope}, `));
  const values: Record<string, string | undefined> = {
    ...headers,
    host: url.host,
    "content-length": String(Buffer.byteLength(body)),
  };
  const hash = createHash("sha256").update(body).digest("hex");
  assert.equal(headers["x-amz-content-sha256"] ?? hash, hash);
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...names.split(";").map((name) => `${name}:${values[name]?.trim()}`),
    "",
    names,
    hash,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", stamp, scope, createHash("sha256").update(canonical).digest("hex")].join(
    "\n",
  );
  const mac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const key = scope.split("/").reduce<string | Buffer>(mac, `AWS4${by.secrets.awsSecretKey}`);
  assert.equal(signature, mac(key, text).toString("hex"));
}
