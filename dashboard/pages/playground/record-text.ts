/** The text of the field "Record": one record, or an array of them, which is a batch. */

export type Records = { record: Record<string, unknown> } | { batch: { record: Record<string, unknown> }[] };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns undefined if the text is neither. */
export function readRecords(text: string): Records | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value))
      return value.length > 0 && value.every(isRecord)
        ? { batch: value.map((record) => ({ record })) }
        : undefined;
    return isRecord(value) ? { record: value } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the names of all fields, without values. */
export function listFields(records: Records | undefined): string[] {
  if (!records) return [];
  const all = "batch" in records ? records.batch.map(({ record }) => record) : [records.record];
  return [...new Set(all.flatMap((record) => Object.keys(record)))];
}

/** Returns the text of a record with these fields and empty values. */
export const emptyRecord = (fields: string | undefined): string =>
  JSON.stringify(
    Object.fromEntries(
      (fields ?? "")
        .split(",")
        .filter(Boolean)
        .map((name) => [name, ""]),
    ),
    undefined,
    2,
  );
