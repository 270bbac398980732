/** The table of people in SQLite, which your application and the CRM both change. The later change wins. */
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.env.DATABASE ?? "people.db", { timeout: 5_000 });
// `changed` is when this version was made, on whichever side. `base` holds the values that both sides had last, so what differs from
// it has not been sent. `refused` holds values that the CRM did not take.
database.exec(`
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS people (
    id INTEGER PRIMARY KEY, email TEXT, given_name TEXT, title TEXT, deleted INTEGER NOT NULL DEFAULT 0,
    changed TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')), crm_id TEXT UNIQUE, base TEXT, refused TEXT);
  CREATE TRIGGER IF NOT EXISTS stamp AFTER UPDATE OF email, given_name, title, deleted ON people
  WHEN new.changed IS old.changed
  BEGIN
    UPDATE people SET changed = strftime('%Y-%m-%dT%H:%M:%fZ') WHERE id = new.id;
  END;`);

const byCrmId = database.prepare("SELECT * FROM people WHERE crm_id = ?");
const byEmail = database.prepare("SELECT * FROM people WHERE crm_id IS NULL AND email = ?");
const asRead = database.prepare(
  "SELECT 1 FROM people WHERE id = ? AND changed = ? AND base IS ? AND crm_id IS ?",
);
const insert = database.prepare("INSERT INTO people (changed) VALUES ('') RETURNING *");
const update = database.prepare(
  "UPDATE people SET (email, given_name, title, deleted, changed, crm_id, base) = (?, ?, ?, ?, ?, ?, ?) WHERE id = ?",
);

/** The values of a row, or of a record of the CRM, as one text that can be compared; of what is deleted: `null`. */
export const valuesIn = ({ email, given_name, givenName, title, deleted }) =>
  JSON.stringify(
    deleted
      ? null
      : { email: email || null, givenName: given_name || givenName || null, title: title || null },
  );

/** Takes a version of the CRM, unless nothing has changed there or the row was changed later. Returns whether it was taken. */
export function take({ id, mappedFields, deleted, changeTime = "" }) {
  const values = valuesIn({ ...mappedFields, deleted });
  const known = byCrmId.get(id) ?? byEmail.get(mappedFields?.email ?? null);
  if (known?.base === values || (known && changeTime <= known.changed)) return false;
  if (!known && deleted) return false;
  const row = known ?? insert.get();
  const { email, givenName, title } = JSON.parse(values) ?? { ...row, givenName: row.given_name };
  update.run(email, givenName, title, deleted ? 1 : 0, changeTime, id, values, row.id);
  return true;
}

/** Returns the rows that the application has changed since both sides were equal. */
export const listUnsent = () =>
  database
    .prepare("SELECT * FROM people")
    .all()
    .filter((row) => valuesIn(row) !== (row.base ?? "null") && valuesIn(row) !== row.refused);

/** Returns whether neither the application nor a message has changed the row since it was read. */
export const isUnchanged = ({ id, changed, base, crm_id }) =>
  asRead.get(id, changed, base, crm_id) !== undefined;

/** Keeps that the CRM has these values since then. If the row was changed meanwhile, it keeps its time and is sent again. */
export const keepSent = (row, values, crmId, changed) =>
  database
    .prepare("UPDATE people SET (base, crm_id, changed) = (?, ?, iif(changed = ?, ?, changed)) WHERE id = ?")
    .run(values, crmId, row.changed, changed, row.id);

export const keepRefused = (row, values) =>
  database.prepare("UPDATE people SET refused = ? WHERE id = ?").run(values, row.id);
