/** Builds an installation's configuration from a hydrated revision: all objects, and the fields that the customer chooses. */
import { listObjectsAt, getTextAt, getValueAt, type Json, type JsonObject } from "../http/json.ts";

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

export const openMappings = (revision: Json | undefined): OpenMapping[] =>
  listObjectsAt(revision, "content.read.objects").flatMap((object) =>
    listNamesToMap(object).map(({ name, field, isRequired }) => {
      const fields = listObjectsAt(object, "allFields").flatMap((one) => getTextAt(one, "fieldName") ?? []);
      const proposed = getTextAt(field, "default");
      const fits = proposed !== undefined && (fields.length === 0 || fields.includes(proposed));
      return {
        object: getTextAt(object, "objectName") ?? "",
        name,
        isRequired,
        question: getTextAt(field, "prompt") ?? getTextAt(field, "mapToDisplayName") ?? name,
        ...(fits && { proposed }),
        fields,
      };
    }),
  );

/** Returns the builder's names in an object for which the manifest has no field, with their entries there. */
const listNamesToMap = (object: JsonObject): { name: string; field: JsonObject; isRequired: boolean }[] =>
  ["requiredFields", "optionalFields"].flatMap((list) =>
    listObjectsAt(object, list).flatMap((field) => {
      const name = getTextAt(field, "mapToName");
      const isOpen = name !== undefined && !getTextAt(field, "fieldName");
      return isOpen ? [{ name, field, isRequired: list === "requiredFields" }] : [];
    }),
  );

/** `chosen` returns the field for a mapped name. */
export function buildDefaultConfig(
  revision: Json | undefined,
  chosen: (object: string, name: string) => string | undefined,
): JsonObject {
  const read = listObjectsAt(revision, "content.read.objects").map((object): [string, Json] => {
    const objectName = getTextAt(object, "objectName") ?? "";
    const mapped = listNamesToMap(object).flatMap(({ name }): [string, string][] => {
      const fieldName = chosen(objectName, name);
      return fieldName === undefined ? [] : [[name, fieldName]];
    });
    const content = {
      objectName,
      // Required fields are read in any case; a mapped one that is selected too would be delivered twice.
      selectedFields: {},
      selectedFieldMappings: Object.fromEntries(mapped),
    };
    return [objectName, content];
  });
  const write = listObjectsAt(revision, "content.write.objects").map((object): [string, Json] => {
    const objectName = getTextAt(object, "objectName") ?? "";
    return [objectName, { objectName }];
  });
  const proxies = getValueAt(revision, "content.proxy.enabled") === true;
  return {
    provider: getTextAt(revision, "content.provider") ?? "",
    ...(read.length > 0 && { read: { objects: Object.fromEntries(read) } }),
    ...(write.length > 0 && { write: { objects: Object.fromEntries(write) } }),
    ...(proxies && { proxy: { enabled: true } }),
  };
}
