/** For tests: two databases, each with the tables of one side, and one handle that sends each statement to the right one. */
import {
  CamelCasePlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
} from "kysely";
import { Client, type Pool } from "pg";
import { replicateShared, stopReplicating } from "../../server/store/sides/replicate-shared.ts";
import type { Database } from "../../server/store/database/database.ts";
import type { DB } from "../../server/store/database/rows.gen.ts";
import { listTables } from "../../server/store/database/sides.ts";
import { findSide, readTables, findWrittenTables } from "./named-tables.ts";
import { REPLICATING_ROLE } from "./side-roles.ts";

/** Returns whether every Busbar and database of the tests has two databases. */
export const hasTwoDatabases = (): boolean => process.env["BUSBAR_TEST_SIDES"] === "2";

/** Begins replication between two empty databases. Returns a function that ends it. */
export async function replicateEmpty(
  name: string,
  urls: { connectionString: string; dataUrl: string },
): Promise<() => Promise<void>> {
  const controlUrl = new URL(urls.connectionString);
  controlUrl.username = REPLICATING_ROLE.name;
  controlUrl.password = REPLICATING_ROLE.password;
  const onBoth = async (run: (both: { control: Client; data: Client; slot: string }) => Promise<void>) => {
    const control = new Client({ connectionString: urls.connectionString });
    const data = new Client({ connectionString: urls.dataUrl });
    try {
      await Promise.all([control.connect(), data.connect()]);
      await run({ control, data, slot: name });
    } finally {
      await Promise.all([control.end(), data.end()]);
    }
  };
  await onBoth((both) =>
    replicateShared({
      ...both,
      controlUrl: controlUrl.href,
      tables: listTables("shared"),
    }),
  );
  return () => onBoth(stopReplicating);
}

/** Functions of PostgreSQL that work on data tables. */
const DATA_FUNCTION = /\b(add_history_range|drop_history_range|remove_dependents)\b/;

/** What is before a table in statements that only tests have. */
const BEFORE_TABLE =
  /\b(vacuum analyze|vacuum(?! analyze)|(?<!vacuum )analyze|lock|trigger \w+ on|(?:insert|update|delete) on)(?! table\b)/g;

/** Returns the side that a statement needs; undefined if it names no table. Throws if it names tables of both. */
function chooseSide(statement: string): "control" | "data" | undefined {
  if (DATA_FUNCTION.test(statement)) return "data";
  const text = statement.replaceAll('"', "").replaceAll(BEFORE_TABLE, "$& table ");
  const written = findWrittenTables(text).map(findSide);
  const sides = [...written, ...readTables(text).map(findSide)];
  if (!sides.includes("data")) return sides.length > 0 ? "control" : undefined;
  if (sides.includes("control") || written.includes("shared"))
    throw new Error(`a statement names tables of both databases: ${statement}`);
  return "data";
}

type Handles = Record<"control" | "data", Kysely<DB>>;

/** Connection to both databases. Its transaction is one in each, which begins with the first statement there. */
class BothConnection implements DatabaseConnection {
  readonly #handles: Handles;
  readonly #transactions = new Map<keyof Handles, Promise<ControlledTransaction<DB>>>();
  #isInTransaction = false;
  #last: keyof Handles = "control";

  constructor(handles: Handles) {
    this.#handles = handles;
  }

  async executeQuery<R>(query: CompiledQuery) {
    const side = (this.#last = chooseSide(query.sql) ?? this.#last);
    if (!this.#isInTransaction) return this.#handles[side].executeQuery<R>(query as CompiledQuery<R>);
    let begun = this.#transactions.get(side);
    if (!begun) this.#transactions.set(side, (begun = this.#handles[side].startTransaction().execute()));
    return (await begun).executeQuery<R>(query as CompiledQuery<R>);
  }

  begin(): void {
    this.#isInTransaction = true;
  }

  async end(how: "commit" | "rollback"): Promise<void> {
    this.#isInTransaction = false;
    for (const side of ["control", "data"] as const)
      await (await this.#transactions.get(side))?.[how]().execute();
    this.#transactions.clear();
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<{ rows: R[] }> {
    throw new Error("two databases cannot be streamed");
  }
}

/** Makes one handle of two databases. */
export function openBoth(control: Kysely<DB>, data: Kysely<DB>): Kysely<DB> {
  const handles = { control, data };
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => new BothConnection(handles),
        beginTransaction: async (connection) => (connection as BothConnection).begin(),
        commitTransaction: (connection) => (connection as BothConnection).end("commit"),
        rollbackTransaction: (connection) => (connection as BothConnection).end("rollback"),
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Connects to what a Busbar uses, and sends each statement to the database that has its tables. */
export async function connectBoth(urls: { connectionString: string; dataUrl?: string }) {
  const control = new Client({ connectionString: urls.connectionString });
  const data = urls.dataUrl === undefined ? control : new Client({ connectionString: urls.dataUrl });
  const clients = [...new Set([control, data])];
  await Promise.all(clients.map((client) => client.connect()));
  return {
    query: (text: string, values?: unknown[]) =>
      (data !== control && chooseSide(text) === "data" ? data : control).query(text, values),
    end: async () => void (await Promise.all(clients.map((client) => client.end()))),
  };
}

/** Returns the database with a pool that sends each statement to the database that has its tables. */
export function replacePool(database: Database): Database {
  const { pool, dataPool } = database;
  if (!dataPool) return database;
  const routed = new Proxy(pool, {
    get(target, key) {
      if (key === "query")
        return (text: string, values?: unknown[]) =>
          (chooseSide(text) === "data" ? dataPool : target).query(text, values);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) satisfies Pool;
  return { ...database, pool: routed };
}
