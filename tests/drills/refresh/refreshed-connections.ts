/** Connections whose tokens two processes refresh, at an endpoint that replaces every refresh token. */
import { setTimeout as wait } from "node:timers/promises";
import type { ChildBusbar } from "../../harness/child-busbar.ts";
import type { RotatingEndpoint } from "./rotating-endpoint.ts";

export interface JudgedTokens {
  /** Connections that do not have the refresh token that the provider gave last. */
  lost: string[];
  badCredentials: string[];
}

const STORED_WITHIN_MS = 120_000;

export class RefreshedConnections {
  readonly answers: Record<string, number> = {};
  readonly #processes: ChildBusbar[];
  readonly #endpoint: RotatingEndpoint;
  /** Ids by the name of the grant. */
  readonly #connections = new Map<string, string>();

  constructor(processes: ChildBusbar[], endpoint: RotatingEndpoint) {
    this.#processes = processes;
    this.#endpoint = endpoint;
  }

  /** A process for each call, in turn. */
  #through(index: number): ChildBusbar {
    const child = this.#processes[index % this.#processes.length];
    if (!child) throw new Error("no process was started");
    return child;
  }

  async connect(count: number): Promise<void> {
    const app = { provider: "rotating", clientId: "drill", clientSecret: "secret" };
    await requireMade(this.#through(0).inProject("POST", "/provider-apps", app));
    for (let index = 0; index < count; index += 1) {
      const name = `customer-${index}`;
      const { id } = await requireMade(
        this.#through(index).inProject("POST", "/connections:generate", {
          provider: "rotating",
          groupRef: name,
          consumerRef: "drill",
          oauth2AuthorizationCode: {
            accessToken: { token: "expired", expiresAt: "2020-01-01T00:00:00Z" },
            refreshToken: { token: this.#endpoint.grant(name) },
          },
        }),
      );
      this.#connections.set(name, id);
    }
  }

  /** Asks both processes to refresh every connection, at once. */
  async forceAll(): Promise<void> {
    await Promise.all(
      [...this.#connections.values()].flatMap((id) =>
        this.#processes.map(async (child) => {
          const { status } = await askTwice(child, `/connections/${id}?refresh=force`);
          this.answers[status] = (this.answers[status] ?? 0) + 1;
        }),
      ),
    );
  }

  async #stored(id: string): Promise<{ refreshToken?: string; status?: string }> {
    const query = "?includeCreds=true&includeRefreshToken=true";
    const { body } = await askTwice(this.#through(0), `/connections/${id}${query}`);
    return { refreshToken: body.oauth2AuthorizationCode?.refreshToken?.token, status: body.status };
  }

  /** Connections whose stored refresh token is older than `wanted`. */
  async #behind(wanted: Map<string, string | undefined>): Promise<string[]> {
    const found = await Promise.all(
      [...this.#connections].map(async ([name, id]) => {
        const { refreshToken } = await this.#stored(id);
        const isThere = readGeneration(refreshToken) >= readGeneration(wanted.get(name) ?? "revoked");
        return isThere ? [] : [`${name} has ${refreshToken} instead of ${wanted.get(name)}`];
      }),
    );
    return found.flat();
  }

  #given(): Map<string, string | undefined> {
    return new Map([...this.#connections.keys()].map((name) => [name, this.#endpoint.current(name)]));
  }

  /** Milliseconds until every connection has the token that it was given before now, at most `STORED_WITHIN_MS`. */
  async untilStored(): Promise<number> {
    const given = this.#given();
    const startedMs = performance.now();
    for (;;) {
      const behind = await this.#behind(given);
      const tookMs = performance.now() - startedMs;
      if (behind.length === 0 || tookMs > STORED_WITHIN_MS) return tookMs;
      await wait(50);
    }
  }

  async judge(): Promise<JudgedTokens> {
    const badCredentials = [];
    for (const [name, id] of this.#connections)
      if ((await this.#stored(id)).status === "bad_credentials") badCredentials.push(name);
    return { lost: await this.#behind(this.#given()), badCredentials };
  }
}

/** Returns the violations; empty if no token was lost. */
export const listTokenFaults = (
  judged: JudgedTokens & Pick<RotatingEndpoint["counts"], "sentTwice">,
): string[] => [
  ...(judged.sentTwice === 0 ? [] : [`${judged.sentTwice} refresh tokens were sent twice`]),
  ...(judged.lost.length === 0 ? [] : [`lost: ${judged.lost.slice(0, 5).join("; ")}`]),
  ...(judged.badCredentials.length === 0 ? [] : [`bad: ${judged.badCredentials.slice(0, 5).join("; ")}`]),
];

/** Infinite for a grant that was revoked: no stored token is as new. */
const readGeneration = (token = "none.0"): number => Number(token.split(".")[1] ?? Number.POSITIVE_INFINITY);

/** Repeats a call once, as HTTP allows for GET: a kept connection may be closed at the moment at which it is used again. */
const askTwice = (child: ChildBusbar, path: string): ReturnType<ChildBusbar["inProject"]> =>
  child.inProject("GET", path).catch(() => child.inProject("GET", path));

async function requireMade(call: ReturnType<ChildBusbar["inProject"]>): Promise<{ id: string }> {
  const { status, body, text } = await call;
  if (status >= 300) throw new Error(text);
  return body;
}
