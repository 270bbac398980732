/** A webhook of the project that exists while somebody listens: destination, topic and routes, gone afterwards. */
import { randomBytes } from "node:crypto";
import { Failure } from "../failures.ts";
import { step } from "../http/api.ts";
import { objectsAt, requireText, textAt, valueAt } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "../settings/connect.ts";

export interface TemporaryDestination {
  name: string;
  signingKey: string;
  /** From now on these events go there. */
  route(eventTypes: readonly string[]): Promise<void>;
  /** Deletes everything that was made; what is gone already is fine. */
  remove(): Promise<void>;
}

type Needs = Pick<Connected, "inProject">;

/** Nothing is routed there yet. `url` is where the server is to send. Throws with nothing left behind. */
export async function makeTemporaryDestination(deps: Needs, url: URL): Promise<TemporaryDestination> {
  const name = `busbar-listen-${randomBytes(4).toString("hex")}`;
  const metadata = { url: url.href };
  const destinationId = await create(deps, "/destinations", { name, type: "webhook", metadata }).catch(
    (error: unknown) => {
      throw explained(error, url);
    },
  );
  // Their routes go with them.
  const made = [`/destinations/${destinationId}`];
  const remove = async () => {
    for (const path of made.splice(0)) {
      await deps.inProject("DELETE", path).catch((error: unknown) => {
        if (!(error instanceof Refused && error.status === 404)) throw error;
      });
    }
  };
  const signingKey = await signingKeyOf(deps, destinationId).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    name,
    signingKey,
    remove,
    async route(eventTypes) {
      const topicId = await create(deps, "/topics", { name });
      made.push(`/topics/${topicId}`);
      await create(deps, "/topic-destination-routes", { topicId, destinationId });
      for (const eventType of eventTypes) {
        await create(deps, "/notification-event-topic-routes", { eventType, topicId });
      }
    },
  };
}

async function create(
  deps: Needs,
  path: string,
  body: Record<string, string | Record<string, string>>,
): Promise<string> {
  return requireText(await deps.inProject("POST", path, { body }), "id");
}

/** Of a destination by id or name. */
export async function signingKeyOf(deps: Needs, destination: string): Promise<string> {
  const path = `/destinations/${step(destination)}`;
  const found = await deps.inProject("GET", path, { query: { includeSecrets: "true" } });
  const key = textAt(found, "secrets.webhookSigningKey");
  if (key !== undefined) return key;
  throw new Failure(`The destination ${destination} signs nothing; only webhooks do.`);
}

/** Sends a sample through the server. Says why it did not arrive, undefined when it did. */
export async function whyNotReachable(deps: Needs, destination: string): Promise<string | undefined> {
  const outcome = await deps.inProject("POST", `/destinations/${step(destination)}:test`, { body: {} });
  if (valueAt(outcome, "delivered") === true) return undefined;
  const status = valueAt(outcome, "attempt.status");
  return (
    textAt(outcome, "attempt.error") ??
    (typeof status === "number" ? `it was answered with ${status}` : "no reason given")
  );
}

/** The server refuses plain http and private addresses unless its operator allows them. */
function explained(error: unknown, url: URL): unknown {
  const isAboutUrl =
    error instanceof Refused &&
    objectsAt(error.problem, "issues").some((issue) => textAt(issue, "name") === "metadata.url");
  if (!isAboutUrl) return error;
  return new Failure(`The server does not send to ${url.origin}: ${error.message}`, {
    remedy: egressRemedy(url),
    cause: error,
  });
}

export const egressRemedy = (url: URL): string =>
  `Start the server with BUSBAR_EGRESS_ALLOW=${url.hostname} if it runs on this machine or network; ` +
  "otherwise open a tunnel to this port and give its https address with --public-url.";
