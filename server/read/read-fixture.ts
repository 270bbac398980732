/** For tests only: manifests, configurations, metadata and connectors around the part that a test is about. */
import type { FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import type { ConfigContent, ConfigReadObject } from "../../manifest/installation-config.ts";
import type { ManifestIntegration, ReadObject } from "../../manifest/manifest.ts";
import { findReadDefinition, type ReadDefinition } from "./read-definition.ts";
import type { FieldNames } from "./read-set.ts";

/** Names differ in case only, as with both providers; `Owner` leads to another object. */
export const names: FieldNames = {
  fieldKey: (name) => name.toLowerCase(),
  isReadWithAll: ({ providerType }) => providerType !== "address",
  fieldBeyond: (steps) => (steps[0] === "Owner" ? steps.join(".") : undefined),
};

export const reading = (...objects: Partial<ReadObject>[]): ManifestIntegration => ({
  name: "crm",
  provider: "acme",
  read: { objects: objects.map((object) => ({ objectName: "account", destination: "hook", ...object })) },
});

export const choosing = (...objects: Partial<ConfigReadObject>[]): ConfigContent => ({
  provider: "acme",
  read: {
    objects: Object.fromEntries(
      objects.map((object) => {
        const complete = { objectName: "account", selectedFields: {}, selectedFieldMappings: {}, ...object };
        return [complete.objectName, complete];
      }),
    ),
  },
});

/** The definition of `account`. */
export function defined(
  object: Partial<ReadObject> = {},
  configured: Partial<ConfigReadObject> = {},
): ReadDefinition {
  const definition = findReadDefinition(
    { revisions: [reading(object)], config: choosing(configured) },
    "account",
  );
  if (definition) return definition;
  throw new Error("the manifest has no such object");
}

export const buildMetadata = (
  ...fields: (Partial<FieldMetadata> & { fieldName: string })[]
): ObjectMetadata => ({
  name: "Account",
  displayName: "Account",
  fields: Object.fromEntries(
    fields.map((field) => [
      field.fieldName,
      {
        displayName: field.fieldName,
        valueType: "string",
        providerType: "string",
        readOnly: false,
        isCustom: false,
        isRequired: false,
        ...field,
      },
    ]),
  ),
});
