// Tooling API for channels of change events and their members.

import { asData, asText, type Data, type SandboxAnswer, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import { toEventName } from "./change-schema.ts";
import { refuse } from "./errors.ts";
import { STANDARD_CHANNEL, type Channel, type EventBus, type Member } from "./event-bus.ts";
import { API, parseBody, type OrgSource } from "./sobjects.ts";

const CHANNEL = "PlatformEventChannel";
const MEMBER = "PlatformEventChannelMember";

export function addEventChannelRoutes(router: Router, org: OrgSource, bus: EventBus): void {
  const path = `${API}/tooling/sobjects`;
  router.add("POST", `${path}/${CHANNEL}`, (exchange) => createChannel(bus, exchange));
  router.add("POST", `${path}/${MEMBER}`, (exchange) => createMember(org, bus, exchange));
  for (const [name, rows] of [
    [CHANNEL, () => bus.channels],
    [MEMBER, () => bus.members],
  ] as const) {
    router.add("GET", `${path}/${name}/:id`, (exchange) => {
      const found = rows().get(exchange.params["id"] ?? "");
      if (found === undefined) throw refuseNotFound();
      return { status: 200, body: showRow(found) };
    });
    router.add("DELETE", `${path}/${name}/:id`, (exchange) => remove(bus, name, exchange.params["id"] ?? ""));
    router.add("PATCH", `${path}/${name}/:id`, (exchange) => {
      const found = rows().get(exchange.params["id"] ?? "");
      if (found === undefined) throw refuseNotFound();
      return patch(bus, found, exchange);
    });
  }
  router.add("GET", `${API}/tooling/query`, (exchange) => query(bus, exchange));
}

function refuseNotFound(): Error {
  return refuse(404, "NOT_FOUND", "The requested resource does not exist");
}

function requireRight(bus: EventBus): void {
  if (bus.settings.mayCustomize) return;
  throw refuse(403, "INSUFFICIENT_ACCESS", "insufficient access rights on entity: EventChannelMember");
}

function answerCreated(id: string): SandboxAnswer {
  return { status: 201, body: { id, success: true, errors: [], infos: [], warnings: [] } };
}

function readName(body: Data): string {
  return asText(body["FullName"]) ?? "";
}

function requireName(name: string): void {
  if (/^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/.test(name) && name.length <= 80) return;
  const message =
    "The name can only contain underscores and alphanumeric characters. It must be unique, begin with a letter, " +
    "not include spaces, not end with an underscore, and not contain two consecutive underscores.";
  throw refuse(400, "INVALID_INPUT", message, ["FullName"]);
}

function requireUnused(name: string, used: Iterable<{ developerName: string }>): void {
  for (const { developerName } of used) {
    if (developerName.toLowerCase() !== name.toLowerCase()) continue;
    throw refuse(400, "DUPLICATE_DEVELOPER_NAME", "This Developer Name is already in use.", [
      "DeveloperName",
    ]);
  }
}

function createChannel(bus: EventBus, exchange: SandboxExchange): SandboxAnswer {
  requireRight(bus);
  const body = parseBody(exchange.body);
  const fullName = readName(body);
  if (!fullName.endsWith("__chn")) {
    throw refuse(400, "INVALID_INPUT", "The FullName of a channel must end with __chn.", ["FullName"]);
  }
  const developerName = fullName.slice(0, -"__chn".length);
  requireName(developerName);
  const metadata = asData(body["Metadata"]);
  if (metadata["channelType"] !== "data" && metadata["channelType"] !== "event") {
    throw refuse(400, "INVALID_INPUT", "Specify a channelType: data or event.", ["channelType"]);
  }
  if (asText(metadata["label"]) === undefined) {
    throw refuse(400, "REQUIRED_FIELD_MISSING", "Required fields are missing: [MasterLabel]");
  }
  requireUnused(developerName, bus.channels.values());
  const id = bus.newId("0YL");
  bus.channels.set(id, { id, developerName, metadata });
  return answerCreated(id);
}

function createMember(org: OrgSource, bus: EventBus, exchange: SandboxExchange): SandboxAnswer {
  requireRight(bus);
  const body = parseBody(exchange.body);
  const developerName = readName(body);
  requireName(developerName);
  const metadata = asData(body["Metadata"]);
  const wanted = asText(metadata["eventChannel"]) ?? "";
  const channel = [...bus.channels.values()].find(({ developerName: name }) =>
    isSameName(`${name}__chn`, wanted),
  );
  const eventChannel = channel === undefined ? wanted : `${channel.developerName}__chn`;
  if (channel === undefined && eventChannel !== STANDARD_CHANNEL) {
    throw refuse(400, "INVALID_CROSS_REFERENCE_KEY", `The event channel ${wanted} does not exist.`);
  }
  const entity = asText(metadata["selectedEntity"]) ?? "";
  const known = [...org().stores.values()].map(({ definition }) => toEventName(definition.name));
  const selectedEntity = known.find((name) => isSameName(name, entity));
  if (selectedEntity === undefined) {
    throw refuse(400, "INVALID_FIELD", `The selected entity ${entity} cannot be found or is not supported.`);
  }
  requireUnused(developerName, bus.members.values());
  const members = [...bus.members.values()];
  if (members.some((one) => one.eventChannel === eventChannel && one.selectedEntity === selectedEntity)) {
    throw refuse(400, "DUPLICATE_VALUE", "The entity is already selected on this channel.");
  }
  const selected = new Set(members.map((one) => one.selectedEntity));
  if (!selected.has(selectedEntity) && selected.size >= bus.settings.entityLimit) {
    const message = `You have reached the maximum number of ${bus.settings.entityLimit} entities that can be selected for Change Data Capture.`;
    throw refuse(400, "LIMIT_EXCEEDED", message);
  }
  const id = bus.newId("0v8");
  bus.members.set(id, { id, developerName, eventChannel, selectedEntity, metadata });
  return answerCreated(id);
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function showRow(row: Channel | Member): Data {
  const isMember = "selectedEntity" in row;
  const metadata = isMember
    ? { ...row.metadata, eventChannel: row.eventChannel, selectedEntity: row.selectedEntity }
    : row.metadata;
  return {
    ...listColumns(row),
    FullName: isMember ? row.developerName : `${row.developerName}__chn`,
    Metadata: metadata,
  };
}

function listColumns(row: Channel | Member): Data {
  const base = { Id: row.id, DeveloperName: row.developerName };
  return "selectedEntity" in row
    ? { ...base, EventChannel: row.eventChannel, SelectedEntity: row.selectedEntity }
    : { ...base, ChannelType: row.metadata["channelType"], MasterLabel: row.metadata["label"] };
}

/** Replaces the whole Metadata; channel and entity of a member never change. */
function patch(bus: EventBus, row: Channel | Member, exchange: SandboxExchange): SandboxAnswer {
  requireRight(bus);
  const metadata = asData(asData(parseBody(exchange.body))["Metadata"]);
  const isOther =
    "selectedEntity" in row &&
    (metadata["eventChannel"] !== row.eventChannel || metadata["selectedEntity"] !== row.selectedEntity);
  if (isOther) throw refuse(400, "INVALID_INPUT", "eventChannel and selectedEntity can't be changed.");
  row.metadata = metadata;
  return { status: 204 };
}

function remove(bus: EventBus, kind: string, id: string): SandboxAnswer {
  requireRight(bus);
  const rows: Map<string, Channel | Member> = kind === CHANNEL ? bus.channels : bus.members;
  const row = rows.get(id);
  if (row === undefined) throw refuseNotFound();
  const isUsed =
    kind === CHANNEL &&
    [...bus.members.values()].some(({ eventChannel }) => eventChannel === `${row.developerName}__chn`);
  if (isUsed) throw refuse(400, "DEPENDENCY_EXISTS", "The channel has members. Delete them first.");
  rows.delete(id);
  return { status: 204 };
}

/** Answers `SELECT a, b FROM PlatformEventChannel[Member] [WHERE c = 'text']`; conditions may be joined by AND. */
function query(bus: EventBus, exchange: SandboxExchange): SandboxAnswer {
  const text = exchange.query.get("q") ?? "";
  const [, list = "", kind = "", where = ""] =
    /^\s*select\s+(.+?)\s+from\s+(\w+)(?:\s+where\s+(.+))?\s*$/is.exec(text) ?? [];
  const rows: (Channel | Member)[] | undefined = isSameName(kind, CHANNEL)
    ? [...bus.channels.values()]
    : isSameName(kind, MEMBER)
      ? [...bus.members.values()]
      : undefined;
  if (rows === undefined) throw refuse(400, "MALFORMED_QUERY", `unexpected query: ${text}`);
  const conditions =
    where === "" ? [] : where.split(/\s+and\s+/i).map((one) => /^(\w+)\s*=\s*'([^']*)'$/.exec(one));
  if (conditions.includes(null)) throw refuse(400, "MALFORMED_QUERY", `unexpected condition: ${where}`);
  const names = list.split(",").map((name) => name.trim());
  const found = rows
    .map(listColumns)
    .filter((row) =>
      conditions.every((one) => isSameName(asText(getCell(row, one?.[1] ?? "")) ?? "", one?.[2] ?? "")),
    );
  const records = found.map((row) => ({
    attributes: {
      type: kind,
      url: `/services/data/v60.0/tooling/sobjects/${kind}/${asText(row["Id"]) ?? ""}`,
    },
    ...Object.fromEntries(names.map((name) => [name, getCell(row, name)])),
  }));
  return { status: 200, body: { size: records.length, totalSize: records.length, done: true, records } };
}

function getCell(row: Data, name: string): unknown {
  const key = Object.keys(row).find((one) => isSameName(one, name));
  if (key === undefined) throw refuse(400, "INVALID_FIELD", `No such column '${name}'`);
  return row[key];
}
