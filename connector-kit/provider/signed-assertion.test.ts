/** Assertions are signed so that a foreign library accepts them, and a bad key is told without being shown. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { jwtVerify } from "jose";
import { nowMs } from "../../ground/clock.ts";
import type { Assertion } from "./auth-options.ts";
import { CredentialsError } from "./authorization.ts";
import { withAssertion } from "./signed-assertion.ts";

const request = (assertion: Assertion, more: object = {}) => ({
  method: "POST" as const,
  url: "https://login.example/token",
  assertion,
  ...more,
});
const claims = { iss: "{{.clientId}}", aud: "https://login.example/token" };
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = (key: typeof rsa.privateKey): string => key.export({ type: "pkcs8", format: "pem" }).toString();

for (const [algorithm, pair] of [
  ["RS256", rsa],
  ["PS256", rsa],
  ["ES256", ec],
] as const) {
  test(`an assertion by ${algorithm} is accepted by a foreign library, from PEM and from PEM in Base64`, async () => {
    for (const privateKey of [pem(pair.privateKey), Buffer.from(pem(pair.privateKey)).toString("base64")]) {
      const { assertion = "" } = withAssertion(
        request({
          algorithm,
          key: "{{.privateKey}}",
          keyId: "{{.certificateId}}",
          claims,
          lifetimeSeconds: 300,
        }),
        { privateKey, clientId: "app", certificateId: "cert-1" },
      );
      const { payload, protectedHeader } = await jwtVerify(assertion, pair.publicKey, {
        issuer: "app",
        audience: "https://login.example/token",
      });
      assert.equal(protectedHeader.kid, "cert-1");
      assert.ok(payload.jti);
      assert.ok(Math.abs((payload.exp ?? 0) - nowMs() / 1000 - 300) < 60);
    }
  });
}

test("a service account's file is read as it is and in Base64", async () => {
  const file = JSON.stringify({ client_email: "robot@acme.example", private_key: pem(rsa.privateKey) });
  const unpack = { from: "file", take: { clientEmail: "client_email", privateKey: "private_key" } };
  for (const text of [file, Buffer.from(file).toString("base64")]) {
    const values = withAssertion(
      request(
        {
          algorithm: "RS256",
          key: "{{.privateKey}}",
          claims: { iss: "{{.clientEmail}}" },
          lifetimeSeconds: 60,
        },
        { unpack },
      ),
      { file: text },
    );
    const { payload } = await jwtVerify(values["assertion"] ?? "", rsa.publicKey);
    assert.equal(payload.iss, "robot@acme.example");
  }
});

test("a key that cannot sign is refused with the reason, and without its text", () => {
  const signWith = (privateKey: string, more: object = {}) =>
    withAssertion(
      request({ algorithm: "RS256", key: "{{.privateKey}}", claims: {}, lifetimeSeconds: 60 }, more),
      {
        privateKey,
        file: "no json",
      },
    );
  const refused = (reason: RegExp) => (error: unknown) =>
    error instanceof CredentialsError && reason.test(error.message) && !error.message.includes("s3cret");
  assert.throws(() => signWith("s3cret"), refused(/not in PEM format/));
  assert.throws(() => signWith(pem(ec.privateKey)), refused(/is of type ec, but must be rsa/));
  assert.throws(
    () => signWith("x", { unpack: { from: "file", take: { a: "b" } } }),
    refused(/neither a JSON object/),
  );
});
