/** Writes entries as JSON text. The fingerprint and the message share the text of the content. Pure. */
import type { ResultEntry } from "../../events/read-message-schema.ts";

/** Returns the members that the fingerprint covers: all but `id`, `raw` and the times of the version. */
export function writeContent({ fields, mappedFields, associations }: ResultEntry): string {
  const listed = associations ? `,"associations":${JSON.stringify(associations)}` : "";
  return `"fields":${JSON.stringify(fields)},"mappedFields":${JSON.stringify(mappedFields)}${listed}`;
}

/** Returns the whole entry. `content` is its content if that was written already; otherwise one call writes all, which is quicker. */
export function writeEntry(entry: ResultEntry, content?: string): string {
  const {
    id,
    changeTime,
    readTime,
    causedBy,
    possiblyCausedBy,
    fields,
    mappedFields,
    associations,
    raw,
    deleted,
    deletedTime,
  } = entry;
  // The shaper has put the members in this order; what is added to an entry afterwards would stand at its end.
  const isInOrder = !causedBy && !possiblyCausedBy && !associations;
  if (content === undefined && isInOrder) return JSON.stringify(entry);
  if (content === undefined)
    return JSON.stringify({
      id,
      changeTime,
      readTime,
      causedBy,
      possiblyCausedBy,
      fields,
      mappedFields,
      associations,
      raw,
      deleted,
      deletedTime,
    });
  const version = JSON.stringify({ id, changeTime, readTime, causedBy, possiblyCausedBy }).slice(0, -1);
  const deletion = deleted ? `,"deleted":true` : "";
  const time = deletedTime === undefined ? "" : `,"deletedTime":${JSON.stringify(deletedTime)}`;
  return `${version},${content},"raw":${JSON.stringify(raw)}${deletion}${time}}`;
}
