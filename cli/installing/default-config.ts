/** Builds an installation's configuration from a hydrated revision: all objects, and the fields that the customer chooses. */
import { objectsAt, textAt, valueAt, type Json, type JsonObject } from "../http/json.ts";

/** A mapped name for which the customer chooses a field of the account. */
export interface OpenMapping {
  object: string;
  name: string;
  isRequired: boolean;
  /** The prompt in the manifest. */
  question: string;
  /** The manifest's default, unless the account is known to lack it. */
  proposed?: string;
  fields: string[];
}

export function openMappings(revision: Json | undefined): OpenMapping[] {
  return objectsAt(revision, "content.read.objects").flatMap((object) => {
    const required = objectsAt(object, "requiredFields");
    return [...required, ...objectsAt(object, "optionalFields")].flatMap((field) => {
      const name = textAt(field, "mapToName");
      if (name === undefined || textAt(field, "fieldName")) return [];
      const fields = objectsAt(object, "allFields").flatMap((one) => textAt(one, "fieldName") ?? []);
      const proposed = textAt(field, "default");
      const fits = proposed !== undefined && (fields.length === 0 || fields.includes(proposed));
      const asked = textAt(field, "prompt") ?? textAt(field, "mapToDisplayName") ?? name;
      return [
        {
          object: textAt(object, "objectName") ?? "",
          name,
          isRequired: required.includes(field),
          question: asked,
          ...(fits && { proposed }),
          fields,
        },
      ];
    });
  });
}

/** `chosen` returns the field for a mapped name. */
export function defaultConfig(
  revision: Json | undefined,
  chosen: (object: string, name: string) => string | undefined,
): JsonObject {
  const read = objectsAt(revision, "content.read.objects").map((object): [string, Json] => {
    const objectName = textAt(object, "objectName") ?? "";
    const required = objectsAt(object, "requiredFields");
    const mapped = [...required, ...objectsAt(object, "optionalFields")].flatMap(
      (field): [string, string][] => {
        const name = textAt(field, "fieldName") ? undefined : textAt(field, "mapToName");
        const fieldName = name === undefined ? undefined : chosen(objectName, name);
        return name === undefined || fieldName === undefined ? [] : [[name, fieldName]];
      },
    );
    const content = {
      objectName,
      // Required fields are read in any case; a mapped one that is selected too would be delivered twice.
      selectedFields: {},
      selectedFieldMappings: Object.fromEntries(mapped),
    };
    return [objectName, content];
  });
  const write = objectsAt(revision, "content.write.objects").map((object): [string, Json] => {
    const objectName = textAt(object, "objectName") ?? "";
    return [objectName, { objectName }];
  });
  const proxies = valueAt(revision, "content.proxy.enabled") === true;
  return {
    provider: textAt(revision, "content.provider") ?? "",
    ...(read.length > 0 && { read: { objects: Object.fromEntries(read) } }),
    ...(write.length > 0 && { write: { objects: Object.fromEntries(write) } }),
    ...(proxies && { proxy: { enabled: true } }),
  };
}
