// Endpoints of associations, v4 and dated: read, write, labels, batches.

import {
  asData,
  asText,
  isData,
  parseJson,
  type SandboxAnswer,
  type Data,
  type SandboxExchange,
} from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Account, TypeStore } from "./account.ts";
import { toOffsetCursor, readCursor, type Link } from "./associations.ts";
import { BatchAnswer, readInputs } from "./batch.ts";
import { refuseInvalid } from "./errors.ts";
import type { AccountSource } from "./objects.ts";
import { parseObject } from "./record-writes.ts";

type Pair = { account: Account; from: TypeStore; to: TypeStore };

export function addAssociationRoutes(router: Router, account: AccountSource): void {
  const readPair = (exchange: SandboxExchange): Pair => ({
    account: account(),
    from: account().get(exchange.params["from"] ?? ""),
    to: account().get(exchange.params["to"] ?? ""),
  });
  const one = "/crm/v4/objects/:from/:fromId/associations";
  for (const version of ["v3", "v4"]) {
    router.add("GET", `/crm/${version}/objects/:from/:fromId/associations/:to`, (exchange) =>
      read(readPair(exchange), exchange),
    );
  }
  router.add("PUT", `${one}/default/:to/:toId`, (exchange) => putDefault(readPair(exchange), exchange));
  router.add("PUT", `${one}/:to/:toId`, (exchange) => put(readPair(exchange), exchange));
  router.add("DELETE", `${one}/:to/:toId`, (exchange) => {
    const { account: own, from, to } = readPair(exchange);
    own.associations.remove(
      from.type.id,
      exchange.params["fromId"] ?? "",
      to.type.id,
      exchange.params["toId"] ?? "",
    );
    return { status: 204 };
  });
  const many = "/crm/v4/associations/:from/:to";
  router.add("GET", `${many}/labels`, (exchange) => {
    const { account: own, from, to } = readPair(exchange);
    return { status: 200, body: { results: own.associations.labels(from.type.id, to.type.id) } };
  });
  router.add("POST", `${many}/labels`, (exchange) => {
    const { account: own, from, to } = readPair(exchange);
    const label = asText(parseObject(exchange.body)["label"]) ?? "";
    return {
      status: 200,
      body: { results: [own.associations.addLabel(from.type.id, to.type.id, label)] },
    };
  });
  router.add("POST", `${many}/batch/create`, (exchange) => createMany(readPair(exchange), exchange, false));
  router.add("POST", `${many}/batch/associate/default`, (exchange) =>
    createMany(readPair(exchange), exchange, true),
  );
  router.add("POST", `${many}/batch/read`, (exchange) => readMany(readPair(exchange), exchange));
  router.add("POST", `${many}/batch/archive`, (exchange) => archiveMany(readPair(exchange), exchange));
}

function showLinks({ account, from, to }: Pair, links: Link[]): Data[] {
  const labels = account.associations.labels(from.type.id, to.type.id);
  return links.map(({ category, typeId }) => ({
    category,
    typeId,
    label: labels.find((label) => label.typeId === typeId)?.label ?? null,
  }));
}

type Targets = { targets: Data[]; paging?: Data };

/** Builds the targets for an answer. Their ids are numbers, but texts on dated paths. */
function showTargets(
  pair: Pair,
  fromId: string,
  after: string | undefined,
  max: number,
  dated = false,
): Targets {
  const all = pair.account.associations.list(pair.from.type.id, fromId, pair.to.type.id);
  const start = readCursor(after);
  const targets = all.slice(start, start + max).map(({ toId, links }) => ({
    toObjectId: dated ? toId : Number(toId),
    associationTypes: showLinks(pair, links),
  }));
  const next = start + targets.length;
  return next < all.length ? { targets, paging: { next: { after: toOffsetCursor(next) } } } : { targets };
}

function read(pair: Pair, exchange: SandboxExchange): SandboxAnswer {
  const record = pair.from.get(exchange.params["fromId"] ?? "");
  const limit = Number(exchange.query.get("limit") ?? 500);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw refuseInvalid("limit must be between 1 and 500");
  const max = Math.min(limit, pair.account.settings.associationPage);
  const after = exchange.query.get("after") ?? undefined;
  const { targets, paging } = showTargets(pair, record.id, after, max, exchange.dated);
  return { status: 200, body: { results: targets, ...(paging === undefined ? {} : { paging }) } };
}

function put(pair: Pair, exchange: SandboxExchange): SandboxAnswer {
  const { account, from, to } = pair;
  const source = from.get(exchange.params["fromId"] ?? "");
  const target = to.get(exchange.params["toId"] ?? "");
  const links = account.associations.linksFrom(parseJson(exchange.body), from.type.id, to.type.id);
  if (links === undefined)
    throw refuseInvalid("one or more association types are not valid for these objects");
  account.associations.add(from.type.id, source.id, to.type.id, target.id, links);
  const ends = {
    fromObjectTypeId: from.type.id,
    fromObjectId: Number(source.id),
    toObjectTypeId: to.type.id,
  };
  return {
    status: 201,
    body: { ...ends, toObjectId: Number(target.id), labels: listNamedLabels(pair, links) },
  };
}

function listNamedLabels(pair: Pair, links: Link[]): string[] {
  return showLinks(pair, links).flatMap((link) => asText(link["label"]) ?? []);
}

function putDefault({ account, from, to }: Pair, exchange: SandboxExchange): SandboxAnswer {
  const source = from.get(exchange.params["fromId"] ?? "");
  const target = to.get(exchange.params["toId"] ?? "");
  const link = account.associations.defaultLink(from.type.id, to.type.id);
  account.associations.add(from.type.id, source.id, to.type.id, target.id, [link]);
  const batch = new BatchAnswer();
  batch.add({
    from: { id: source.id },
    to: { id: target.id },
    associationSpec: { associationCategory: link.category, associationTypeId: link.typeId },
  });
  return batch.answer(200);
}

function readEnd(input: Data, name: "from" | "to"): string {
  const end = input[name];
  return asText(isData(end) ? end["id"] : end) ?? "";
}

function createMany(pair: Pair, exchange: SandboxExchange, useDefault: boolean): SandboxAnswer {
  const { account, from, to } = pair;
  const batch = new BatchAnswer();
  for (const input of readInputs(exchange, 2000)) {
    const [fromId, toId] = [readEnd(input, "from"), readEnd(input, "to")];
    const unknown = from.find(fromId) === undefined ? fromId : to.find(toId) === undefined ? toId : undefined;
    if (unknown !== undefined) {
      batch.error({
        category: "VALIDATION_ERROR",
        subCategory: "crm.associations.INVALID_IDENTIFIER",
        message: `${unknown} is not a valid ID`,
        context: { id: [unknown] },
      });
      continue;
    }
    if (from === to && fromId === toId) {
      batch.error({
        category: "VALIDATION_ERROR",
        message: `Object ${fromId} cannot be associated to itself (${toId})`,
      });
      continue;
    }
    const links = useDefault
      ? [account.associations.defaultLink(from.type.id, to.type.id)]
      : account.associations.linksFrom(input["types"], from.type.id, to.type.id);
    if (links === undefined)
      throw refuseInvalid("one or more association types are not valid for these objects");
    account.associations.add(from.type.id, fromId, to.type.id, toId, links);
    const ends = { fromObjectTypeId: from.type.id, fromObjectId: Number(fromId), toObjectTypeId: to.type.id };
    batch.add({ ...ends, toObjectId: Number(toId), labels: listNamedLabels(pair, links) });
  }
  return batch.answer(useDefault ? 200 : 201);
}

function readMany(pair: Pair, exchange: SandboxExchange): SandboxAnswer {
  const batch = new BatchAnswer();
  const { associationInputs, associationPage } = pair.account.settings;
  for (const input of readInputs(exchange, associationInputs)) {
    const id = asText(input["id"]) ?? "";
    const after = asText(input["after"]);
    const found = pair.from.find(id) !== undefined;
    const { targets, paging } = found
      ? showTargets(pair, id, after, associationPage, exchange.dated)
      : { targets: [], paging: undefined };
    if (targets.length > 0) {
      batch.add({ from: { id }, to: targets, ...(paging === undefined ? {} : { paging }) });
      continue;
    }
    batch.error({
      category: "OBJECT_NOT_FOUND",
      subCategory: "crm.associations.NO_ASSOCIATIONS_FOUND",
      message: `No ${pair.to.type.singular.toLowerCase()} is associated with ${pair.from.type.singular.toLowerCase()} ${id}.`,
      context: { fromObjectId: [id] },
    });
  }
  return batch.answer(200);
}

function archiveMany({ account, from, to }: Pair, exchange: SandboxExchange): SandboxAnswer {
  for (const input of readInputs(exchange, 2000)) {
    const targets = Array.isArray(input["to"]) ? input["to"] : [input["to"]];
    for (const target of targets) {
      const toId = asText(asData(target)["id"]) ?? "";
      account.associations.remove(from.type.id, readEnd(input, "from"), to.type.id, toId);
    }
  }
  return { status: 204 };
}
