/** The records of a Quillmark account, and the rules by which Quillmark refuses values. quillmark.md is its documentation. */
import type { JsonObject } from "../../../ground/json.ts";

export interface QuillRecord {
  id: number;
  state: "active" | "archived";
  attributes: JsonObject;
  created: number;
  changed: number;
}

export interface QuillError {
  code: string;
  text: string;
  field?: string;
}

export type Written = { record: QuillRecord } | { errors: QuillError[] };

interface Field {
  kind: "text" | "number" | "flag" | "day" | "choice";
  required?: true;
  locked?: true;
}

const FIELDS: Record<string, Record<string, Field>> = {
  writers: {
    full_name: { kind: "text", required: true },
    email: { kind: "text" },
    fee: { kind: "number" },
    agreed: { kind: "flag" },
    born: { kind: "day" },
    genre: { kind: "choice" },
    score: { kind: "number", locked: true },
  },
  manuscripts: { title: { kind: "text", required: true }, words: { kind: "number" } },
};
const GENRES = ["poetry", "prose"];

const FITS: Record<Field["kind"], (value: unknown) => boolean> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  day: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value),
  choice: (value) => typeof value === "string" && GENRES.includes(value),
};

export const COLLECTIONS = Object.keys(FIELDS);

export const isField = (collection: string, name: string): boolean =>
  Object.hasOwn(FIELDS[collection] ?? {}, name);

export const listSchemas = (collection: string): JsonObject[] =>
  Object.entries(FIELDS[collection] ?? {}).map(([slug, { kind, required = false, locked = false }]) => ({
    slug,
    label: slug.replace("_", " "),
    kind,
    required,
    locked,
    ...(kind === "choice" && {
      choices: GENRES.map((genre) => ({ slug: genre, label: genre.toUpperCase() })),
    }),
  }));

export class QuillmarkAccount {
  readonly #records = new Map<string, Map<number, QuillRecord>>(COLLECTIONS.map((name) => [name, new Map()]));
  #lastId = 100;

  /** Lists records in every state, in the order of the ids. */
  records(collection: string): QuillRecord[] {
    return [...(this.#records.get(collection)?.values() ?? [])];
  }

  find(collection: string, id: string): QuillRecord | undefined {
    return /^\d+$/.test(id) ? this.#records.get(collection)?.get(Number(id)) : undefined;
  }

  /** Adds a record that last changed so many seconds ago, without the API. */
  put(collection: string, attributes: JsonObject, secondsAgo = 0): QuillRecord {
    const changed = Math.floor(Date.now() / 1_000) - secondsAgo;
    this.#lastId += 1;
    const record = { id: this.#lastId, state: "active" as const, attributes, created: changed, changed };
    this.#records.get(collection)?.set(record.id, record);
    return record;
  }

  create(collection: string, attributes: JsonObject): Written {
    const errors = this.#faults(collection, attributes);
    for (const [name, { required }] of Object.entries(FIELDS[collection] ?? {}))
      if (required && attributes[name] === undefined)
        errors.push({ code: "missing_value", field: name, text: `${name} is required` });
    return errors.length > 0 ? { errors } : { record: this.put(collection, attributes) };
  }

  update(collection: string, id: string, attributes: JsonObject): Written {
    const record = this.find(collection, id);
    if (record?.state !== "active") return { errors: [buildMissing(id)] };
    const errors = this.#faults(collection, attributes, record);
    if (errors.length > 0) return { errors };
    const kept = Object.entries({ ...record.attributes, ...attributes }).filter(
      ([, value]) => value !== null,
    );
    record.attributes = Object.fromEntries(kept);
    return { record: touchRecord(record) };
  }

  archive(collection: string, id: string): Written {
    const record = this.find(collection, id);
    if (!record) return { errors: [buildMissing(id)] };
    if (record.state === "archived")
      return { errors: [{ code: "already_archived", text: `record ${id} is archived` }] };
    record.state = "archived";
    return { record: touchRecord(record) };
  }

  #faults(collection: string, attributes: JsonObject, own?: QuillRecord): QuillError[] {
    const errors = Object.entries(attributes).flatMap(([name, value]): QuillError[] => {
      const field = isField(collection, name) ? FIELDS[collection]?.[name] : undefined;
      if (!field) return [{ code: "unknown_field", field: name, text: `there is no attribute ${name}` }];
      const fits = !field.locked && (value === null || FITS[field.kind](value));
      return fits ? [] : [{ code: "invalid_value", field: name, text: `${name} is not a ${field.kind}` }];
    });
    const { email } = attributes;
    if (typeof email !== "string") return errors;
    if (!email.includes("@"))
      errors.push({ code: "invalid_value", field: "email", text: "email is not an address" });
    if (this.records(collection).some((one) => one !== own && one.attributes["email"] === email))
      errors.push({ code: "duplicate", field: "email", text: "another record has this email" });
    return errors;
  }
}

export const buildMissing = (id: string): QuillError => ({ code: "no_such_record", text: `no record ${id}` });

function touchRecord(record: QuillRecord): QuillRecord {
  record.changed = Math.floor(Date.now() / 1_000);
  return record;
}
