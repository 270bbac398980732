/** POST /subscribe/…: takes requests with events that a provider pushes, stores them, and answers. */
import { setTimeout as wait } from "node:timers/promises";
import { Type, type TObject } from "typebox";
import type { Problem } from "../../../ground/errors.ts";
import { endpoint, type Endpoint } from "../../http/endpoint.ts";
import { isDatabaseAway } from "../../store/database/database-outage.ts";
import type { PushPlace } from "./push-targets.ts";
import {
  openPushConnectors,
  sendLater,
  storePush,
  type ReceiveServices,
  type StorePushServices,
} from "./store-push.ts";

const PUSH_LIMIT_BYTES = 1_048_576;
/** A provider gives up after some seconds; it sends a request that was refused again. */
const PATIENCE_MS = 900;

const PARAMS = {
  projectIdOrName: Type.String({ description: "Id or name of the project." }),
  integrationIdOrName: Type.String({ description: "Id or name of the integration." }),
  installationId: Type.String({ description: "Id of the installation." }),
  provider: Type.String({ description: "The provider's name in the catalog (`GET /v1/providers`)." }),
};

export const receiveEvents = (deps: ReceiveServices): Endpoint =>
  createReceiver(deps, {
    operationId: "receiveEvents",
    summary: "Receive events of an integration",
    params: Type.Object({
      projectIdOrName: PARAMS.projectIdOrName,
      integrationIdOrName: PARAMS.integrationIdOrName,
    }),
    describePushPlace: (params) => ({
      project: params["projectIdOrName"] ?? "",
      integration: params["integrationIdOrName"] ?? "",
    }),
  });

export const receiveEventsOfInstallation = (deps: ReceiveServices): Endpoint =>
  createReceiver(deps, {
    operationId: "receiveEventsOfInstallation",
    summary: "Receive events of an installation",
    params: Type.Object({
      projectIdOrName: PARAMS.projectIdOrName,
      integrationIdOrName: PARAMS.integrationIdOrName,
      installationId: PARAMS.installationId,
    }),
    describePushPlace: (params) => ({
      project: params["projectIdOrName"] ?? "",
      integration: params["integrationIdOrName"] ?? "",
      installation: params["installationId"] ?? "",
    }),
  });

export const receiveEventsOfProvider = (deps: ReceiveServices): Endpoint =>
  createReceiver(deps, {
    operationId: "receiveEventsOfProvider",
    summary: "Receive events of a provider",
    params: Type.Object({ projectIdOrName: PARAMS.projectIdOrName, provider: PARAMS.provider }),
    describePushPlace: (params) => ({
      project: params["projectIdOrName"] ?? "",
      provider: params["provider"] ?? "",
    }),
  });

interface Form {
  operationId: string;
  summary: string;
  params: TObject;
  describePushPlace(params: Record<string, string>): PushPlace;
}

function createReceiver(
  services: ReceiveServices,
  { operationId, summary, params, describePushPlace }: Form,
): Endpoint {
  const deps: StorePushServices = {
    ...services,
    pushConnectors: openPushConnectors(services),
  };
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
      503: "The database did not store the events in time, or too many pushes wait. Send them again.",
    },
    async handle({ params: names, body, headers, url }) {
      const request = {
        method: "POST",
        uri: `${deps.publicUrl()}${url}`,
        headers,
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      };
      // The parameters were checked against a schema with texts only.
      const place = describePushPlace(names as Record<string, string>);
      const received = storePush(deps, place, request);
      received.catch(() => {});
      const isDone = await Promise.race([
        received.then(() => true),
        wait(PATIENCE_MS, false, { ref: false }),
      ]).catch((error: unknown) => {
        throw isDatabaseAway(error) ? buildUnavailable(deps) : error;
      });
      if (!isDone) throw buildUnavailable(deps);
    },
  });
}

function buildUnavailable({ metrics }: ReceiveServices): Problem {
  metrics?.subscribeMeter.refused("unavailable");
  return sendLater("The database did not store the events in time.");
}
