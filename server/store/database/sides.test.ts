/** Statements of the store name tables of one side; those that do not yet are listed here, and the list only gets shorter. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import { findSide, readTables, findWrittenTables } from "../../../tests/harness/named-tables.ts";
import { SIDE_ROLES } from "../../../tests/harness/side-roles.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "./open-database.ts";
import type { Side } from "./sides.ts";

/** Functions that run on either side: the caller says on which table, or they concern each database. */
const EITHER_SIDE = [
  "database/database.ts",
  "database/outbox.ts",
  "database/outbox-entries.ts",
  "database/remove-rows.ts",
  "database/unsynced-pool.ts",
  "maintenance/grant-serving.ts",
  "processes/list-claimers.ts",
  "processes/running-processes.ts",
];

type QueriesType = "Queries" | "ControlQueries" | "DataQueries" | "SharedQueries";

/** A declaration at the top level of a file of the store. */
interface Part {
  file: string;
  name: string;
  /** Without comments. */
  text: string;
  /** Names that its file imports. */
  imports: Set<string>;
  takes: QueriesType[];
  read: string[];
  written: string[];
}

const STORE = join(import.meta.dirname, "..");
function readParts(): Part[] {
  return globSync("*/*.ts", { cwd: STORE })
    .filter((file) => !/\.(test|gen)\.ts$|\/sides\.ts$/.test(file))
    .flatMap((file) => {
      const whole = readFileSync(join(STORE, file), "utf8");
      const imports = new Set(
        // Without the path, whose words are no names.
        [...whole.matchAll(/^import ([^;]*) from [^;]*;$/gm)].flatMap(
          ([, names]) => names?.match(/\w+/g) ?? [],
        ),
      );
      const text = whole
        .replaceAll(/\/\*(?! prepare)[\s\S]*?\*\/|^\s*\/\/.*$|--.*$/gm, "")
        .replaceAll(/^import [^;]*;$/gm, "");
      return text
        .split(/^(?=(?:export )?(?:async )?(?:function\*?|const|class|interface|type) \w)/m)
        .map((part): Part => {
          const name =
            /^(?:export )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(part)?.[1] ?? "";
          const takes = [...part.matchAll(/\b((?:Control|Data|Shared)?Queries)\b/g)].map(
            (match) => match[1] as QueriesType,
          );
          return {
            file,
            name,
            text: part,
            imports,
            takes,
            read: readTables(part),
            written: findWrittenTables(part),
          };
        });
    });
}

const parts = readParts();
const byName = Map.groupBy(parts, ({ name }) => name);

/** Returns a part and all parts that it uses, in other files too; a name of a file's own comes before one of others. */
function reach(part: Part, reached = new Set<Part>()): Set<Part> {
  if (reached.has(part) || (reached.size > 0 && EITHER_SIDE.includes(part.file))) return reached;
  reached.add(part);
  for (const [word] of part.text.matchAll(/(?<![.\w"])[A-Za-z]\w+\b(?!\s*:)/g)) {
    const named = byName.get(word) ?? [];
    const used =
      named.find(({ file }) => file === part.file) ?? (part.imports.has(word) ? named[0] : undefined);
    if (used) reach(used, reached);
  }
  return reached;
}

/** Returns what a part names that its type of queries does not allow. */
function findFaults(part: Part): string[] {
  const reached = [...reach(part)];
  const read = reached.flatMap((one) => one.read);
  const written = reached.flatMap((one) => one.written);
  const among = (tables: string[], sides: Side[]) =>
    tables.filter((table) => sides.includes(findSide(table) ?? "own"));
  const faults: Record<QueriesType, string[]> = {
    Queries: [],
    ControlQueries: among([...read, ...written], ["data"]),
    DataQueries: [...among([...read, ...written], ["control"]), ...among(written, ["shared"])],
    SharedQueries: [
      ...among([...read, ...written], ["control", "data", "own"]),
      ...among(written, ["shared"]),
    ],
  };
  return part.takes.flatMap((type) =>
    faults[type].map((table) => `${part.file} ${part.name}: ${type} and ${table}`),
  );
}

test("a statement names tables of the side that its function takes", () => {
  assert.ok(parts.length > 500, "the store is read");
  assert.deepEqual([...new Set(parts.flatMap(findFaults))], []);
});

test("no function of the store names tables of both sides", () => {
  const both = parts
    .filter(({ takes, file }) => takes.includes("Queries") && !EITHER_SIDE.includes(file))
    .map(({ file, name }) => `${file} ${name}`);
  assert.deepEqual(both, [], "Let each function take ControlQueries or DataQueries.");
});

/** Uses both sides at once: in one transaction, or by one handle. */
const BOTH = /\btransact\(|\bdatabase\.queries\b|\bqueries\b[^=;(){}]*\}( = |: )(deps\.)?database\b/;

test("no place outside the store uses both sides at once", () => {
  const used = globSync("**/*.ts", { cwd: join(STORE, "..") })
    .filter((file) => !/^store\/|\.(test|examples)\.ts$/.test(file))
    .filter((file) => BOTH.test(readFileSync(join(STORE, "..", file), "utf8")));
  assert.deepEqual(used, [], "Use `database.control` or `database.data`.");
});

test("every sealed value is on the control side, where keys are checked and rotated", () => {
  const rows = readFileSync(join(STORE, "database/rows.gen.ts"), "utf8");
  const sealed = [...rows.matchAll(/^export interface (\w+) \{[^}]*\w+Sealed:/gm)].map(
    ([, name = ""]) => name,
  );
  assert.ok(sealed.length > 3);
  const sides = sealed.map((name) => findSide(`${name.charAt(0).toLowerCase()}${name.slice(1)}`));
  assert.deepEqual(new Set(sides), new Set(["control", "shared"]));
});

test("a statement on the wrong side is refused by the roles that tests can have", async (t) => {
  const { connectionString, drop } = await createTestDatabase({ isDivided: false });
  const { control, data, queries, close } = await openDatabase({
    connectionString,
    log: createLog("silent"),
    poolSize: 1,
    sideRoles: SIDE_ROLES,
  });
  t.after(async () => {
    await close();
    await drop();
  });
  const refused = { code: "42501" };
  await assert.rejects(sql`select from operations`.execute(control), refused);
  await assert.rejects(sql`select from api_keys`.execute(data), refused);
  await assert.rejects(sql`update projects set name = name`.execute(data), refused);
  await assert.rejects(sql`select from projects for update`.execute(data), refused);
  await sql`update projects set name = name`.execute(control);
  await sql`update operations set status = status from projects where project_id = projects.id`.execute(data);
  await sql`select from api_keys, operations`.execute(queries);
});
