/** A double of Google's services for destinations: it accepts bearer tokens that a service account's key has signed. */
import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { jwtVerify } from "jose";
import { openDestinationNetwork } from "../../../server/deliver/destinations/destination-network.ts";
import { openEgress } from "../../../server/egress/open-egress.ts";
import type { DestinationNetwork } from "../../../destination-kit/destination.ts";

interface GoogleDouble {
  url: string;
  /** Reaches the double through the egress guard. */
  network: DestinationNetwork;
  bodies: string[];
  bearers: Set<string>;
  /** Sets its clock ahead. */
  aheadMs: number;
}

/** Answers `taken` to a POST of `path` with a token for this server that is valid for an hour at most, and 401 to others. */
export async function openGoogleDouble(
  t: TestContext,
  expected: { email: string; keyId: string; publicKey: KeyObject; path: string; taken: string },
): Promise<GoogleDouble> {
  const { email, keyId, publicKey, path, taken } = expected;
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      const currentDate = new Date(Date.now() + google.aheadMs);
      try {
        const claims = { issuer: email, subject: email, audience: `${google.url}/`, maxTokenAge: 3_600 };
        const { payload, protectedHeader } = await jwtVerify(bearer, publicKey, {
          ...claims,
          algorithms: ["RS256"],
          currentDate,
        });
        assert.equal(protectedHeader.kid, keyId);
        assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 3_600);
        assert.equal(`${request.method} ${request.url}`, `POST ${path}`);
        google.bearers.add(bearer);
        google.bodies.push(body);
        response.writeHead(200, { "content-type": "application/json" }).end(taken);
      } catch {
        const message = "Request had invalid authentication credentials.";
        const error = { code: 401, message, status: "UNAUTHENTICATED" };
        response.writeHead(401).end(JSON.stringify({ error }));
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const egress = openEgress(["127.0.0.1"]);
  t.after(async () => {
    await egress.close();
    server.close();
  });
  const google: GoogleDouble = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    network: openDestinationNetwork({ egress, dataDir: "/nonexistent", timeoutMs: 60_000 }),
    bodies: [],
    bearers: new Set(),
    aheadMs: 0,
  };
  return google;
}
