// The sandbox's controls of Salesforce's event bus: its settings, gaps, broken streams, lost positions.

import { asData, asList, asText, parseJson, type Data } from "../exchange.ts";
import type { Router } from "../router.ts";
import { CHANGE_TYPES } from "./change-schema.ts";
import { DEFAULT_BUS, type BusSettings, type EventBus } from "./event-bus.ts";
import type { PubSubServer } from "./pubsub-server.ts";

export type SalesforceStreams = { bus: EventBus; server: PubSubServer };

export function addStreamControls(router: Router, { bus, server }: SalesforceStreams): void {
  const path = "/sandbox/salesforce/streams";
  const showSettings = (): Data => ({
    ...bus.settings,
    open: server.open,
    kept: bus.kept,
    calls: server.calls,
    channels: [...bus.channels.values()].map(({ developerName }) => `${developerName}__chn`),
    members: [...bus.members.values()].map(({ eventChannel, selectedEntity }) => ({
      eventChannel,
      selectedEntity,
    })),
  });
  router.add("GET", path, () => ({ status: 200, body: showSettings() }));
  router.add("POST", path, (exchange) => {
    bus.settings = { ...bus.settings, ...readSettings(asData(parseJson(exchange.body))) };
    return { status: 200, body: showSettings() };
  });
  router.add("POST", `${path}/emit`, (exchange) => {
    const { object, changeType, recordIds } = asData(parseJson(exchange.body));
    const type = CHANGE_TYPES.find((one) => one === changeType);
    if (type === undefined) throw new RangeError(`changeType must be one of ${CHANGE_TYPES.join(", ")}`);
    bus.emit(
      asText(object) ?? "",
      type,
      asList(recordIds).flatMap((id) => asText(id) ?? []),
    );
    return { status: 202, body: {} };
  });
  router.add("POST", `${path}/break`, (exchange) => {
    const { how, code } = asData(parseJson(exchange.body));
    if (how !== "reset" && how !== "goaway" && how !== "disconnect" && how !== "status") {
      throw new RangeError("how must be reset, goaway, disconnect or status");
    }
    server.break(how, asText(code));
    return { status: 202, body: {} };
  });
  router.add("POST", `${path}/refuse`, (exchange) => {
    const { method, code, count } = asData(parseJson(exchange.body));
    server.refuse(asText(method) ?? "Subscribe", asText(code) ?? "", typeof count === "number" ? count : 1);
    return { status: 202, body: {} };
  });
  router.add("POST", `${path}/expire`, (exchange) => {
    if (asData(parseJson(exchange.body))["positions"] === true) bus.forgetPositions();
    else bus.expire();
    return { status: 202, body: {} };
  });
}

function readSettings(body: Data): Partial<BusSettings> {
  const settings: Data = {};
  for (const [name, value] of Object.entries(body)) {
    const known = Object.entries(DEFAULT_BUS).find(([one]) => one === name);
    const isList = Array.isArray(known?.[1]);
    if (known === undefined || (isList ? !Array.isArray(value) : typeof value !== typeof known[1])) {
      throw new RangeError(`${name} is no setting of streams, or has a wrong type`);
    }
    settings[name] = value;
  }
  return settings;
}
