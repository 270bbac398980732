/** A token endpoint that replaces the refresh token with every refresh, and revokes the grant when it sees an old one. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RotatingEndpoint {
  url: string;
  /** Catalog entry of a provider that gets its tokens here. */
  catalogEntry: object;
  /** The first refresh token of a new grant. */
  grant(name: string): string;
  /** The refresh token that the grant's owner must have now; undefined when the grant was revoked. */
  current(name: string): string | undefined;
  /** Answers that are being held back now. */
  pending(): number;
  /** Holds back all answers to come until the returned function is called; from then on, each takes its time. */
  hold(): () => void;
  counts: { refreshed: number; sentTwice: number };
  close(): void;
}

interface Grant {
  generation: number;
  revoked: boolean;
}

/** Each answer takes between half of `meanMs` and one and a half times as long. */
export async function startRotatingEndpoint(meanMs: number): Promise<RotatingEndpoint> {
  const grants = new Map<string, Grant>();
  const counts = { refreshed: 0, sentTwice: 0 };
  let pending = 0;
  let released = Promise.resolve();
  const readToken = (name: string, { generation }: Grant): string => `${name}.${generation}`;
  const answer = (refreshToken: string): { status: number; body: object } => {
    const [name = "", generation] = refreshToken.split(".");
    const grant = grants.get(name);
    if (!grant || grant.revoked || grant.generation !== Number(generation)) {
      if (grant) {
        grant.revoked = true;
        counts.sentTwice += 1;
      }
      return { status: 400, body: { error: "invalid_grant" } };
    }
    // From here on the old token is spent, although nobody has the answer yet.
    grant.generation += 1;
    counts.refreshed += 1;
    const body = {
      access_token: `access-${refreshToken}`,
      refresh_token: readToken(name, grant),
      expires_in: 3_600,
    };
    return { status: 200, body };
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { status, body } = answer(new URLSearchParams(text).get("refresh_token") ?? "");
    pending += 1;
    await released;
    setTimeout(
      () => {
        pending -= 1;
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      },
      meanMs * (0.5 + Math.random()),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    catalogEntry: {
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
    grant(name) {
      const grant = { generation: 1, revoked: false };
      grants.set(name, grant);
      return readToken(name, grant);
    },
    current(name) {
      const grant = grants.get(name);
      return grant && !grant.revoked ? readToken(name, grant) : undefined;
    },
    pending: () => pending,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      return resolve;
    },
    counts,
    close: () => void server.close().closeAllConnections(),
  };
}
