/** GET /v1/destination-types */
import { Type, type Static, type TObject } from "typebox";
import { DESTINATIONS } from "../../../destinations/index.gen.ts";
import type { DestinationType } from "../../../destination-kit/destination.ts";
import { NOT_BUILT } from "../../deliver/check-settings.ts";
import { endpoint } from "../../http/endpoint.ts";

const jsonSchema = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const DestinationTypeSchema = Type.Object(
  {
    type: Type.String({ description: "The `type` of a destination, for example `webhook`." }),
    displayName: Type.String({ description: "Name for people." }),
    description: Type.String({ description: "What a receiver gets." }),
    built: Type.Boolean({ description: "False: destinations of this type are answered with 501." }),
    metadataSchema: jsonSchema("JSON Schema of `metadata`; without members if the type is not built."),
    secretsSchema: Type.Optional(
      jsonSchema("JSON Schema of `secrets`. Absent if the type has none that you enter."),
    ),
  },
  { title: "DestinationType", description: "A type of destinations, with its settings." },
);

type Shown = Static<typeof DestinationTypeSchema>;

export const listDestinationTypes = () => {
  const all = [...Object.values(DESTINATIONS).map(toShown), ...Object.entries(NOT_BUILT).map(toUnbuilt)];
  return endpoint({
    operationId: "listDestinationTypes",
    tag: "Destinations",
    summary: "List types of destinations",
    description:
      "With the JSON Schemas of their settings, for forms. Types that are not built are listed too.",
    success: { status: 200, description: "The types.", schema: Type.Array(DestinationTypeSchema) },
    handle: async () => all,
  });
};

const toShown = ({ type, label, description, config, secrets }: DestinationType): Shown => ({
  type,
  displayName: label,
  description,
  built: true,
  metadataSchema: plain(config),
  ...(Object.keys(secrets.properties).length > 0 && { secretsSchema: plain(secrets) }),
});

const toUnbuilt = ([type, displayName]: [string, string]): Shown => ({
  type,
  displayName,
  description: "Not built yet. Use a webhook and forward from there.",
  built: false,
  metadataSchema: { type: "object", properties: {} },
});

/** Returns the schema without what only its library understands. */
const plain = (schema: TObject): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
