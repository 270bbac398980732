/** POST /subscribe/…: takes events that a provider pushes, stores them, and answers. */
import { setTimeout as wait } from "node:timers/promises";
import { Type, type TObject } from "typebox";
import type { Catalog } from "../../connectors/catalog.ts";
import type { PushConnector, PushedRequest } from "../../connector-kit/subscribe-connector.ts";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import type { Log } from "../ground/log.ts";
import { endpoint, type Endpoint } from "../http/endpoint.ts";
import { sharedCommit, type SharedCommit } from "../jobs/shared-commit.ts";
import { isDatabaseAway } from "../store/database-outage.ts";
import type { Database } from "../store/database.ts";
import { storeReceivedEvents, type ReceivedEvent } from "../store/subscription-inbox.ts";
import type { PushPlace, PushTarget, PushTargets } from "./push-targets.ts";
import { toReceivedEvent } from "./received-event.ts";
import type { SubscribeMeter } from "./subscribe-services.ts";

export interface ReceiveServices {
  database: Database;
  catalog: Catalog;
  log: Log;
  publicUrl: () => string;
  pushTargets: PushTargets;
  inbox: Inbox;
  metrics?: { subscribeMeter: SubscribeMeter } | undefined;
}

/** Stores the events of requests that arrive together in one commit. */
export type Inbox = SharedCommit<ReceivedEvent[]>;

export const openInbox = (deps: {
  database: Database;
  windowMs: number;
  subscribeMeter?: SubscribeMeter | undefined;
}): Inbox =>
  sharedCommit(async (pushes) => {
    const events = pushes.flat();
    if (events.length === 0) return;
    const stored = await storeReceivedEvents(deps.database.queries, events, deps.windowMs);
    deps.subscribeMeter?.received(stored);
  });

const PUSH_LIMIT_BYTES = 1_048_576;
/** A provider gives up after some seconds; it sends a request that was refused again. */
const PATIENCE_MS = 900;
const RETRY_AFTER_MS = 5_000;

const PARAMS = {
  projectIdOrName: Type.String({ description: "Id or name of the project." }),
  integrationIdOrName: Type.String({ description: "Id or name of the integration." }),
  installationId: Type.String({ description: "Id of the installation." }),
  provider: Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
};

export const receiveEvents = (deps: ReceiveServices): Endpoint =>
  receiver(deps, {
    operationId: "receiveEvents",
    summary: "Receive events of an integration",
    params: Type.Object({
      projectIdOrName: PARAMS.projectIdOrName,
      integrationIdOrName: PARAMS.integrationIdOrName,
    }),
    placeOf: (params) => ({
      project: params["projectIdOrName"] ?? "",
      integration: params["integrationIdOrName"] ?? "",
    }),
  });

export const receiveEventsOfInstallation = (deps: ReceiveServices): Endpoint =>
  receiver(deps, {
    operationId: "receiveEventsOfInstallation",
    summary: "Receive events of an installation",
    params: Type.Object({
      projectIdOrName: PARAMS.projectIdOrName,
      integrationIdOrName: PARAMS.integrationIdOrName,
      installationId: PARAMS.installationId,
    }),
    placeOf: (params) => ({
      project: params["projectIdOrName"] ?? "",
      integration: params["integrationIdOrName"] ?? "",
      installation: params["installationId"] ?? "",
    }),
  });

export const receiveEventsOfProvider = (deps: ReceiveServices): Endpoint =>
  receiver(deps, {
    operationId: "receiveEventsOfProvider",
    summary: "Receive events of a provider",
    params: Type.Object({ projectIdOrName: PARAMS.projectIdOrName, provider: PARAMS.provider }),
    placeOf: (params) => ({ project: params["projectIdOrName"] ?? "", provider: params["provider"] ?? "" }),
  });

interface Form {
  operationId: string;
  summary: string;
  params: TObject;
  placeOf(params: Record<string, string>): PushPlace;
}

function receiver(services: ReceiveServices, { operationId, summary, params, placeOf }: Form): Endpoint {
  const deps: LoggingServices = { ...services, logRefusal: openRefusalLog(services.log) };
  return endpoint({
    operationId,
    tag: "Subscribe",
    summary,
    description:
      "For the provider, not for you: the address that you register there (`getSubscribeSetup`). The request must be " +
      "signed with the client secret of one of the project's provider apps. Its events go to every installation of the " +
      "project that is connected to the account of the event and subscribes to its object; below an installation, to " +
      "that one only. They are stored before the answer.",
    params,
    body: Type.Unknown(),
    rawBodyLimitBytes: PUSH_LIMIT_BYTES,
    success: { status: 200, description: "Stored, or of no installation." },
    refusals: {
      400: "The body is no list of events. Nothing was stored.",
      401: "The signature is missing, old or wrong, or the address does not exist.",
      413: "The body is larger than 1 MB.",
      415: "The body is not declared as JSON.",
      503: "The database did not store the events in time. Send them again.",
    },
    async handle({ params: names, body, headers, url }) {
      const request = {
        method: "POST",
        uri: `${deps.publicUrl()}${url}`,
        headers,
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      };
      // The parameters were checked against a schema with texts only.
      const place = placeOf(names as Record<string, string>);
      const received = receive(deps, place, request);
      received.catch(() => {});
      const isDone = await Promise.race([
        received.then(() => true),
        wait(PATIENCE_MS, false, { ref: false }),
      ]).catch((error: unknown) => {
        throw isDatabaseAway(error) ? unavailable(deps) : error;
      });
      if (!isDone) throw unavailable(deps);
    },
  });
}

type LoggingServices = ReceiveServices & { logRefusal(uri: string): void };

async function receive(deps: LoggingServices, place: PushPlace, request: PushedRequest): Promise<void> {
  const { push, target } = await requireSigned(deps, place, request);
  const type = request.headers["content-type"];
  if (typeof type !== "string" || !/^application\/json *(;|$)/i.test(type)) {
    deps.metrics?.subscribeMeter.refused("form");
    throw new Problem("unsupported-media-type", { detail: "Send the events as `application/json`." });
  }
  const pushed = push.readEvents(request.body.toString("utf8"));
  if (!pushed) {
    deps.metrics?.subscribeMeter.refused("form");
    throw new Problem("invalid-request", {
      detail: "The body is not a JSON array of events. Send an array.",
    });
  }
  if (pushed.dropped > 0) {
    const { projectId, provider } = target;
    deps.log.warn(
      { projectId, provider, dropped: pushed.dropped },
      "pushed items that are no events were dropped",
    );
  }
  if (pushed.events.length > 0)
    await deps.inbox.add(pushed.events.map((event) => toReceivedEvent(event, target)));
}

/** Throws a 401 Problem, the same for a wrong signature as for an address that does not exist. */
async function requireSigned(
  deps: LoggingServices,
  place: PushPlace,
  request: PushedRequest,
): Promise<{ push: PushConnector; target: PushTarget }> {
  const connectors = deps.catalog.keys().flatMap((key) => deps.catalog.connector(key)?.subscribe?.push ?? []);
  // Before anything is looked up: requests without a signature must cost nothing.
  const faults = connectors.map((push) => push.findFault(request, nowMs()));
  const [fault] = faults;
  if (fault !== undefined && faults.every((one) => one !== undefined)) throw unsigned(deps, fault);
  const target = await deps.pushTargets.find(place);
  const push = target && deps.catalog.connector(target.provider)?.subscribe?.push;
  if (target && push?.findFault(request, nowMs()) === undefined && push?.isSigned(request, target.secrets)) {
    return { push, target };
  }
  deps.logRefusal(request.uri);
  throw unsigned(
    deps,
    `The signature does not match ${request.method} ${request.uri} with the client secret of any provider app of this address. ` +
      "Check that this is the address that the provider calls (BUSBAR_PUBLIC_URL), and the client secret.",
  );
}

function unsigned(deps: ReceiveServices, detail: string): Problem {
  deps.metrics?.subscribeMeter.refused("signature");
  return new Problem("unauthenticated", { detail });
}

const LOG_EVERY_MS = 10_000;
/** Returns a log that writes a line now and then: a flood of wrong requests must not become a flood of lines. */
function openRefusalLog(log: Log): (uri: string) => void {
  let nextMs = 0;
  return (uri) => {
    if (nowMs() < nextMs) return;
    nextMs = nowMs() + LOG_EVERY_MS;
    log.warn({ uri }, "refused a push: its signature does not match this address");
  };
}

function unavailable({ metrics }: ReceiveServices): Problem {
  metrics?.subscribeMeter.refused("unavailable");
  return new Problem("unavailable", {
    detail: "The database did not store the events in time. Send the request again.",
    retryAfter: new Date(nowMs() + RETRY_AFTER_MS),
    headers: { "retry-after": String(RETRY_AFTER_MS / 1_000) },
  });
}
