/** Holds the generated schema to the database: what a reader looks for is in it, in an order that does not change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../tests/harness/database.ts";
import { schemaText } from "./schema-text.ts";

test("columns, constraints, indexes, triggers and storage of a table stand together", async (t) => {
  const { pool } = await testDatabase(t);
  await pool.query(`
    create unlogged table aa_sample (
      id uuid primary key, seq bigint generated always as identity, state text not null default 'new'
        check (state in ('new', 'old')), project_id uuid references projects on delete cascade, at timestamptz
    ) with (fillfactor = 40);
    create index on aa_sample (at desc);
    create index aa_new on aa_sample (at) where state = 'new';
    create trigger changed after update on aa_sample for each row execute function notify_change()`);
  const text = await schemaText(pool);
  const from = text.indexOf("CREATE UNLOGGED TABLE aa_sample");
  assert.equal(
    text.slice(from, text.indexOf("\n\n", from)),
    `CREATE UNLOGGED TABLE aa_sample (
  id uuid NOT NULL,
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  state text NOT NULL DEFAULT 'new'::text,
  project_id uuid,
  at timestamptz,
  PRIMARY KEY (id),
  CHECK ((state = ANY (ARRAY['new'::text, 'old'::text]))),
  FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
) WITH (fillfactor=40);
CREATE INDEX aa_new ON aa_sample (at) WHERE (state = 'new'::text);
CREATE INDEX ON aa_sample (at DESC);
CREATE TRIGGER changed AFTER UPDATE ON aa_sample FOR EACH ROW EXECUTE FUNCTION notify_change();`,
  );
  assert.equal(await schemaText(pool), text);
});
