/** Checks who signed a pushed request, and stores it. */
import { isUtf8 } from "node:buffer";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { PushConnector, PushedRequest } from "../../../connector-kit/subscribe-connector.ts";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import type { Database } from "../../store/database/database.ts";
import type { PushInbox } from "./push-inbox.ts";
import type { PushPlace, PushTarget, PushTargets } from "./push-targets.ts";
import type { SignatureWatch } from "./watch-signatures.ts";
import type { SubscribeMeter } from "../definition/subscribe-services.ts";

export interface ReceiveServices {
  database: Database;
  catalog: Catalog;
  log: Log;
  publicUrl: () => string;
  pushTargets: PushTargets;
  pushInbox: PushInbox;
  signatures: SignatureWatch;
  metrics?: { subscribeMeter: SubscribeMeter } | undefined;
}

export interface StorePushServices extends ReceiveServices {
  /** Returns the push connectors of all providers. */
  pushConnectors(): PushConnector[];
}

/** Stores a signed request; `take-pushes.ts` takes it apart. Throws a 400, 401, 415 or 503 Problem. */
export async function storePush(
  deps: StorePushServices,
  place: PushPlace,
  request: PushedRequest,
): Promise<void> {
  const { push, target } = await requireSigned(deps, place, request);
  const type = request.headers["content-type"];
  if (typeof type !== "string" || !/^application\/json *(;|$)/i.test(type)) {
    deps.metrics?.subscribeMeter.refused("form");
    throw new Problem("unsupported-media-type", { detail: "Send the events as `application/json`." });
  }
  const text = request.body.toString("utf8");
  const items = push.countItems(text);
  if (items === undefined) {
    deps.metrics?.subscribeMeter.refused("form");
    throw new Problem("invalid-request", {
      detail: "The body is not a JSON array of events. Send an array.",
    });
  }
  const { projectId, provider, installationId } = target;
  const body = isUtf8(request.body) ? request.body : Buffer.from(text);
  if (!deps.pushInbox.hasCapacity(projectId)) {
    deps.metrics?.subscribeMeter.refused("full");
    throw sendLater("So many pushes wait that no more are accepted at the moment.");
  }
  if (items > 0) await deps.pushInbox.add({ projectId, provider, installationId, body });
}

const RETRY_AFTER_MS = 5_000;

/** Returns a 503 Problem, after which the provider sends the request again. */
export const sendLater = (reason: string): Problem =>
  new Problem("unavailable", {
    detail: `${reason} Send the request again.`,
    retryAfter: new Date(nowMs() + RETRY_AFTER_MS),
    headers: { "retry-after": String(RETRY_AFTER_MS / 1_000) },
  });

/** Throws a 401 Problem, the same for a wrong signature as for an address that does not exist. */
async function requireSigned(
  deps: StorePushServices,
  place: PushPlace,
  request: PushedRequest,
): Promise<{ push: PushConnector; target: PushTarget }> {
  // Checked before any query: requests without a signature must cost nothing.
  const faults = deps.pushConnectors().map((push) => push.findFault(request, nowMs()));
  const [fault] = faults;
  if (fault !== undefined && faults.every((one) => one !== undefined)) throw refuseUnsigned(deps, fault);
  const target = await deps.pushTargets.find(place);
  const push = target && deps.catalog.connector(target.provider)?.subscribe?.push;
  if (target && push?.findFault(request, nowMs()) === undefined && push?.isSigned(request, target.secrets)) {
    deps.signatures.accepted(target);
    return { push, target };
  }
  deps.signatures.refused(target, request.uri);
  throw refuseUnsigned(
    deps,
    `The signature does not match ${request.method} ${request.uri} with the client secret of any provider app of this address. ` +
      "Check that this is the address that the provider calls (BUSBAR_PUBLIC_URL), and the client secret.",
  );
}

function refuseUnsigned(deps: ReceiveServices, detail: string): Problem {
  deps.metrics?.subscribeMeter.refused("signature");
  return new Problem("unauthenticated", { detail });
}

/** Returns a function that lists the connectors of all providers that push; it looks through the catalog once. */
export function openPushConnectors(deps: Pick<ReceiveServices, "catalog">): () => PushConnector[] {
  let known: PushConnector[] | undefined;
  return () =>
    (known ??= deps.catalog.keys().flatMap((key) => deps.catalog.connector(key)?.subscribe?.push ?? []));
}
