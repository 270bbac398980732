/** Writes entries as JSON text, once: the fingerprint and the message take the same text. Pure. */
import type { ResultEntry } from "../events/read-message-schema.ts";

/** Returns the members that a receiver works with, without the record's raw form: what the fingerprint covers. */
export function contentText({ fields, mappedFields, associations }: ResultEntry): string {
  const listed = associations ? `,"associations":${JSON.stringify(associations)}` : "";
  return `"fields":${JSON.stringify(fields)},"mappedFields":${JSON.stringify(mappedFields)}${listed}`;
}

/** Returns the whole entry around its content. */
export function entryText(entry: ResultEntry, content: string = contentText(entry)): string {
  const { id, raw, deleted, deletedTime } = entry;
  const deletion = deleted ? `,"deleted":true` : "";
  const time = deletedTime === undefined ? "" : `,"deletedTime":${JSON.stringify(deletedTime)}`;
  return `{"id":${JSON.stringify(id)},${content},"raw":${JSON.stringify(raw)}${deletion}${time}}`;
}
