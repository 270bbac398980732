/** What an act of an agent would change, field by field. */
interface Act {
  arguments: Readonly<Record<string, unknown>>;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
}

export interface FieldChange {
  field: string;
  /** Undefined: there is no such value. */
  before: string | undefined;
  after: string | undefined;
  isChanged: boolean;
}

/** Lists the fields with their values before and after, as JSON. A deletion has nothing after. */
export function listChanges({ before = {}, after = {} }: Act): FieldChange[] {
  const fields = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return fields.map((field) => {
    const [old, wanted] = [toText(before[field]), toText(after[field])];
    return { field, before: old, after: wanted, isChanged: old !== wanted };
  });
}

const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** Returns the changes in one line. */
export const changeWords = (act: Act): string =>
  act.before === undefined && act.after === undefined
    ? JSON.stringify(act.arguments)
    : listChanges(act)
        .filter(({ isChanged }) => isChanged)
        .map(({ field, before, after }) =>
          before === undefined ? `${field}: ${after}` : `${field}: ${before} → ${after ?? "deleted"}`,
        )
        .join(", ");
