// Endpoints of properties: definitions, groups, batch create, and the rules for definitions.

import { asData, asList, asText, type SandboxAnswer, type Data, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { TypeStore } from "./account.ts";
import { BatchAnswer, readInputs } from "./batch.ts";
import { refuseInvalid, refuseNotFound, refuse, requireMembers } from "./errors.ts";
import type { AccountSource } from "./objects.ts";
import { buildCustomProperty, type Property, type PropertyOption } from "./property-definitions.ts";
import { parseObject } from "./record-writes.ts";

export function addPropertyRoutes(router: Router, account: AccountSource): void {
  const store = (exchange: SandboxExchange): TypeStore => account().get(exchange.params["type"] ?? "");
  const path = "/crm/v3/properties/:type";
  addGroupRoutes(router, path, store);
  router.add("GET", path, (exchange) => {
    const level = exchange.query.get("dataSensitivity") ?? "non_sensitive";
    const results = [...store(exchange).properties.values()].filter(
      ({ archived, dataSensitivity }) => !archived && dataSensitivity === level,
    );
    return { status: 200, body: { results } };
  });
  router.add("POST", path, (exchange) => {
    const body = parseObject(exchange.body);
    requireOptions(exchange, [body]);
    return create(store(exchange), body);
  });
  router.add("POST", `${path}/batch/create`, (exchange) => {
    const inputs = readInputs(exchange);
    requireOptions(exchange, inputs);
    return createMany(store(exchange), inputs);
  });
  router.add("POST", `${path}/batch/read`, (exchange) => readMany(store(exchange), readInputs(exchange)));
  router.add("GET", `${path}/:name`, (exchange) => ({
    status: 200,
    body: answerFound(store(exchange), exchange),
  }));
  router.add("PATCH", `${path}/:name`, (exchange) => {
    requireOptions(exchange, [parseObject(exchange.body)]);
    return update(store(exchange), exchange);
  });
  router.add("DELETE", `${path}/:name`, (exchange) => {
    const property = answerFound(store(exchange), exchange);
    if (property.hubspotDefined === true)
      throw refuseInvalid(`Property ${property.name} is defined by HubSpot`);
    property.archived = true;
    return { status: 204 };
  });
}

/** Requires the members of options; dated endpoints require more than earlier ones. */
function requireOptions({ dated }: SandboxExchange, inputs: Data[]): void {
  if (dated !== true) return;
  for (const input of inputs) {
    for (const option of asList(input["options"]))
      requireMembers("OptionInput", asData(option), ["displayOrder", "hidden", "label", "value"]);
  }
}

function addGroupRoutes(router: Router, path: string, store: (exchange: SandboxExchange) => TypeStore): void {
  router.add("GET", `${path}/groups`, (exchange) => ({
    status: 200,
    body: { results: [...store(exchange).groups.values()] },
  }));
  router.add("POST", `${path}/groups`, (exchange) => {
    const { groups } = store(exchange);
    const body = parseObject(exchange.body);
    const name = asText(body["name"]);
    if (name === undefined || name === "") throw refuseInvalid("A property group needs a name");
    if (groups.has(name)) throw refuseExisting(`A property group named '${name}' already exists.`, "GROUP");
    const label = asText(body["label"]) ?? name;
    const group = {
      name,
      label,
      displayOrder: Number(body["displayOrder"] ?? groups.size + 1),
      archived: false,
    };
    groups.set(name, group);
    return { status: 201, body: group };
  });
  router.add("GET", `${path}/groups/:group`, (exchange) => {
    const group = store(exchange).groups.get(exchange.params["group"] ?? "");
    // HubSpot's 404 has no body here.
    return group === undefined ? { status: 404 } : { status: 200, body: group };
  });
  router.add("PATCH", `${path}/groups/:group`, (exchange) => {
    const group = store(exchange).groups.get(exchange.params["group"] ?? "");
    if (group === undefined) return { status: 404 };
    group.label = asText(parseObject(exchange.body)["label"]) ?? group.label;
    return { status: 200, body: group };
  });
  router.add("DELETE", `${path}/groups/:group`, (exchange) => {
    store(exchange).groups.delete(exchange.params["group"] ?? "");
    return { status: 204 };
  });
}

function answerFound(store: TypeStore, exchange: SandboxExchange): Property {
  const property = store.properties.get((exchange.params["name"] ?? "").toLowerCase());
  if (property === undefined || property.archived)
    throw refuseNotFound(`Property ${exchange.params["name"] ?? ""} does not exist`);
  return property;
}

function create(store: TypeStore, input: Data): SandboxAnswer {
  const name = asText(input["name"]) ?? "";
  if (isTaken(store, name)) throw refuseExisting(`A property named '${name}' already exists.`, "PROPERTY");
  return { status: 201, body: storeProperty(store, readDefinition(store, input)) };
}

function createMany(store: TypeStore, inputs: Data[]): SandboxAnswer {
  const batch = new BatchAnswer();
  const fresh = inputs.filter((input) => !isTaken(store, asText(input["name"]) ?? ""));
  const definitions = fresh.map((input) => readDefinition(store, input));
  for (const property of definitions) {
    const { createdAt: _created, updatedAt: _updated, ...shown } = storeProperty(store, property);
    batch.add(shown);
  }
  for (const input of inputs) {
    if (fresh.includes(input)) continue;
    const name = asText(input["name"]) ?? "";
    batch.error({
      category: "OBJECT_ALREADY_EXISTS",
      subCategory: "Properties.PROPERTY_WITH_NAME_EXISTS",
      message: `A property named '${name}' already exists.`,
      context: { name: [name] },
    });
  }
  return batch.answer(201);
}

function storeProperty(store: TypeStore, property: Property): Property {
  store.addProperty(property);
  return property;
}

function readMany(store: TypeStore, inputs: Data[]): SandboxAnswer {
  const batch = new BatchAnswer();
  for (const input of inputs) {
    const name = asText(input["name"]) ?? "";
    const property = store.properties.get(name.toLowerCase());
    if (property !== undefined && !property.archived) batch.add({ ...property });
    else
      batch.error({
        category: "OBJECT_NOT_FOUND",
        message: `Property ${name} does not exist`,
        context: { name: [name] },
      });
  }
  return batch.answer(200);
}

/** Returns whether the name is taken; that of an archived property is free. */
function isTaken(store: TypeStore, name: string): boolean {
  const present = store.properties.get(name.toLowerCase());
  return present !== undefined && !present.archived;
}

function refuseExisting(message: string, kind: "PROPERTY" | "GROUP"): Error {
  const subCategory = `Properties.${kind}_WITH_NAME_EXISTS`;
  return refuse(409, message, { category: "OBJECT_ALREADY_EXISTS", subCategory });
}

const FIELD_TYPES: Record<string, string[]> = {
  string: ["text", "textarea", "html", "file", "phonenumber"],
  number: ["number"],
  date: ["date"],
  datetime: ["date"],
  enumeration: ["select", "radio", "checkbox", "booleancheckbox"],
  bool: ["booleancheckbox"],
  phone_number: ["phonenumber"],
};

function readDefinition(store: TypeStore, input: Data): Property {
  const text = (name: string): string => asText(input[name]) ?? "";
  const missing = ["name", "label", "type", "fieldType", "groupName"].filter((name) => text(name) === "");
  if (missing.length > 0)
    throw refuseInvalid(`Some required fields were not set: [${missing.join(", ")}]`, {
      context: { missing },
    });
  const [name, type, fieldType] = [text("name"), text("type"), text("fieldType")];
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw refuseInvalid(
      `Property name ${name} must start with a letter and hold lower-case letters, digits and underscores`,
    );
  }
  checkKind(type, fieldType);
  if (!store.groups.has(text("groupName")))
    throw refuseInvalid(`Property group ${text("groupName")} does not exist`);
  const options = readOptions(input["options"]);
  checkOptions(type, options);
  const definition = buildCustomProperty(
    {
      name,
      label: text("label"),
      type,
      fieldType,
      groupName: text("groupName"),
      description: text("description"),
      options,
      hasUniqueValue: input["hasUniqueValue"] === true,
      formField: input["formField"] === true,
      hidden: input["hidden"] === true,
      externalOptions: input["externalOptions"] === true,
    },
    new Date().toISOString(),
  );
  return {
    ...definition,
    displayOrder: Number(input["displayOrder"] ?? -1),
    dataSensitivity: text("dataSensitivity") || "non_sensitive",
  };
}

function checkKind(type: string, fieldType: string): void {
  const allowed = FIELD_TYPES[type];
  if (allowed === undefined) throw refuseInvalid(`Cannot deserialize value: ${type} is not a property type`);
  if (!allowed.includes(fieldType)) {
    throw refuseInvalid(
      `fieldType ${fieldType} is not valid for type ${type}; allowed are ${allowed.join(", ")}`,
    );
  }
}

function checkOptions(type: string, options: PropertyOption[]): void {
  if (type === "enumeration" && options.length === 0)
    throw refuseInvalid("An enumeration property needs options");
  if (type !== "bool") return;
  const values = options.map((option) => option.value).toSorted();
  if (values.length !== 2 || values[0] !== "false" || values[1] !== "true") {
    const message = "Boolean properties must have exactly two options, with the values true and false";
    throw refuseInvalid(message, { errors: [{ message, code: "INVALID_BOOLEAN_OPTION" }] });
  }
}

/** Reads options. HubSpot puts those without a display order last. */
function readOptions(input: unknown): PropertyOption[] {
  const items = asList(input).map((item) => asData(item));
  const given = items.map((item) => Number(item["displayOrder"] ?? Number.NaN));
  let next = Math.max(0, ...given.filter((order) => Number.isInteger(order))) + 1;
  return items.map((item, i) => {
    const order = given[i] ?? Number.NaN;
    const description = asText(item["description"]);
    return {
      label: asText(item["label"]) ?? asText(item["value"]) ?? "",
      value: asText(item["value"]) ?? "",
      ...(description === undefined ? {} : { description }),
      displayOrder: Number.isInteger(order) ? order : next++,
      hidden: item["hidden"] === true,
    };
  });
}

/** Updates a definition. Options replace the whole list; name, uniqueness and sensitivity do not change. */
function update(store: TypeStore, exchange: SandboxExchange): SandboxAnswer {
  const property = answerFound(store, exchange);
  const input = parseObject(exchange.body);
  const type = asText(input["type"]) ?? property.type;
  if (type !== property.type) throw refuseInvalid(`The type of property ${property.name} cannot be changed`);
  const fieldType = asText(input["fieldType"]) ?? property.fieldType;
  checkKind(type, fieldType);
  const groupName = asText(input["groupName"]) ?? property.groupName;
  if (!store.groups.has(groupName)) throw refuseInvalid(`Property group ${groupName} does not exist`);
  if (Array.isArray(input["options"])) {
    const options = readOptions(input["options"]);
    checkOptions(type, options);
    property.options = options;
  }
  property.fieldType = fieldType;
  property.groupName = groupName;
  property.label = asText(input["label"]) ?? property.label;
  property.description = asText(input["description"]) ?? property.description;
  if (typeof input["formField"] === "boolean") property.formField = input["formField"];
  if (typeof input["hidden"] === "boolean") property.hidden = input["hidden"];
  property.updatedAt = new Date().toISOString();
  return { status: 200, body: property };
}
