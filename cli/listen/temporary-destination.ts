/** Creates a webhook destination with topic and routes for the time of `busbar listen`, and deletes it afterwards. */
import { randomBytes } from "node:crypto";
import { Failure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { listObjectsAt, requireText, getTextAt, getValueAt } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import type { Connected } from "../settings/connect.ts";

export interface TemporaryDestination {
  name: string;
  signingKey: string;
  /** Routes these events to the destination from now on. */
  route(eventTypes: readonly string[]): Promise<void>;
  /** Deletes everything that was created and still exists. */
  remove(): Promise<void>;
}

type Needs = Pick<Connected, "inProject">;

/** Creates the destination without routes. `url` is the address for the server. Leaves nothing behind if it throws. */
export async function makeTemporaryDestination(deps: Needs, url: URL): Promise<TemporaryDestination> {
  const name = `busbar-listen-${randomBytes(4).toString("hex")}`;
  const metadata = { url: url.href };
  const destinationId = await create(deps, "/destinations", { name, type: "webhook", metadata }).catch(
    (error: unknown) => {
      throw explain(error, url);
    },
  );
  // Deleting a destination or topic deletes its routes.
  const made = [`/destinations/${destinationId}`];
  const remove = async () => {
    for (const path of made.splice(0)) {
      await deps.inProject("DELETE", path).catch((error: unknown) => {
        if (!(error instanceof Refused && error.status === 404)) throw error;
      });
    }
  };
  const signingKey = await findSigningKey(deps, destinationId).catch(async (error: unknown) => {
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

/** Returns the signing key of a destination, by id or name. */
export async function findSigningKey(deps: Needs, destination: string): Promise<string> {
  const path = `/destinations/${encodeStep(destination)}`;
  const found = await deps.inProject("GET", path, { query: { includeSecrets: "true" } });
  const key = getTextAt(found, "secrets.webhookSigningKey");
  if (key !== undefined) return key;
  throw new Failure(`The destination ${destination} has no signing key; only webhooks have one.`);
}

/** Sends a sample through the server. Returns why it did not arrive, undefined if it arrived. */
export async function explainUnreachable(deps: Needs, destination: string): Promise<string | undefined> {
  const outcome = await deps.inProject("POST", `/destinations/${encodeStep(destination)}:test`, { body: {} });
  if (getValueAt(outcome, "delivered") === true) return undefined;
  const status = getValueAt(outcome, "attempt.status");
  return (
    getTextAt(outcome, "attempt.error") ??
    (typeof status === "number" ? `the answer was HTTP ${status}` : "no reason given")
  );
}

/** Explains a refusal of the URL: the server allows plain http and private addresses only if its operator does. */
function explain(error: unknown, url: URL): unknown {
  const isAboutUrl =
    error instanceof Refused &&
    listObjectsAt(error.problem, "issues").some((issue) => getTextAt(issue, "name") === "metadata.url");
  if (!isAboutUrl) return error;
  return new Failure(`The server does not send to ${url.origin}: ${error.message}`, {
    remedy: describeEgressRemedy(url),
    cause: error,
  });
}

export const describeEgressRemedy = (url: URL): string =>
  `Start the server with BUSBAR_EGRESS_ALLOW=${url.hostname} if it runs on this machine or network; ` +
  "otherwise open a tunnel to this port and give its https address with --public-url.";
