// Object schemas (custom objects) and pipelines, as far as a client needs them to discover an account.

import { asData, asList, asText, type Data } from "../exchange.ts";
import type { Router } from "../router.ts";
import { PORTAL_ID, type Account, type TypeStore } from "./account.ts";
import { ASSOCIATION_TYPES } from "./association-types.ts";
import { readTexts } from "./batch.ts";
import { refuseInvalid } from "./errors.ts";
import type { AccountSource } from "./objects.ts";
import { buildCustomProperty } from "./property-definitions.ts";
import { parseObject } from "./record-writes.ts";

export function addSchemaRoutes(router: Router, account: AccountSource): void {
  router.add("GET", "/crm/v3/schemas", () => ({
    status: 200,
    body: { results: [...account().stores.values()].filter((store) => store.type.custom).map(showSchema) },
  }));
  router.add("POST", "/crm/v3/schemas", (exchange) => ({
    status: 201,
    body: showSchema(createSchema(account(), parseObject(exchange.body))),
  }));
  router.add("GET", "/crm/v3/schemas/:type", (exchange) => ({
    status: 200,
    body: showSchema(account().get(exchange.params["type"] ?? "")),
  }));
  router.add("GET", "/crm/v3/pipelines/:type", (exchange) => ({
    status: 200,
    body: { results: listPipelines(account().get(exchange.params["type"] ?? "")) },
  }));
}

function createSchema(account: Account, body: Data): TypeStore {
  const name = asText(body["name"]) ?? "";
  if (!/^[a-z][a-z0-9_]*$/i.test(name))
    throw refuseInvalid("A schema needs a name of letters, digits and underscores");
  if (account.find(name) !== undefined) throw refuseInvalid(`An object named ${name} already exists`);
  const store = account.addCustomType(name, readTexts(body["requiredProperties"]));
  const groupName = [...store.groups.keys()][0] ?? "";
  for (const item of asList(body["properties"])) {
    const input = asData(item);
    const property = asText(input["name"]) ?? "";
    store.addProperty(
      buildCustomProperty(
        {
          name: property,
          label: asText(input["label"]) ?? property,
          type: asText(input["type"]) ?? "string",
          fieldType: asText(input["fieldType"]) ?? "text",
          hasUniqueValue: input["hasUniqueValue"] === true,
          groupName,
        },
        new Date().toISOString(),
      ),
    );
  }
  return store;
}

function showSchema(store: TypeStore): Data {
  const { type } = store;
  const name = type.custom ? (type.aliases[0] ?? type.name) : type.name;
  return {
    labels: { singular: type.singular, plural: type.name },
    requiredProperties: type.required,
    searchableProperties: [],
    primaryDisplayProperty: type.defaults[1] ?? "hs_object_id",
    secondaryDisplayProperties: [],
    archived: false,
    metaType: type.custom ? "PORTAL_SPECIFIC" : "HUBSPOT",
    id: type.id.split("-")[1],
    fullyQualifiedName: type.custom ? `p${PORTAL_ID}_${name}` : type.singular,
    name,
    objectTypeId: type.id,
    properties: [...store.properties.values()].filter((property) => !property.archived),
    associations: ASSOCIATION_TYPES.filter((association) => association.from === type.id).map(
      (association) => ({
        fromObjectTypeId: association.from,
        toObjectTypeId: association.to,
        name: association.label,
        id: String(association.id),
      }),
    ),
  };
}

/** Lists pipelines, whose stages are the options of the stage property. */
function listPipelines(store: TypeStore): Data[] {
  const [pipeline, stage] =
    store.type.name === "tickets" ? ["hs_pipeline", "hs_pipeline_stage"] : ["pipeline", "dealstage"];
  const stages = store.properties.get(stage ?? "")?.options ?? [];
  const at = "1970-01-01T00:00:00Z";
  return (store.properties.get(pipeline ?? "")?.options ?? []).map((option) => ({
    label: option.label,
    displayOrder: option.displayOrder,
    id: option.value,
    archived: false,
    createdAt: at,
    updatedAt: at,
    stages: stages.map(({ label, value, displayOrder }) => ({
      label,
      displayOrder,
      metadata: {
        isClosed: String(/closed/i.test(label)),
        probability: String(Math.min(1, 0.2 * (displayOrder + 1))),
      },
      id: value,
      createdAt: at,
      updatedAt: at,
      archived: false,
    })),
  }));
}
