/** Two PostgreSQL roles for tests: each may do what belongs to its side of the tables, so a statement on the wrong side fails. */
import { join } from "node:path";
import { Client } from "pg";
import { ROLE } from "../../server/postgres/create-cluster.ts";
import { findBinaries } from "../../server/postgres/find-binaries.ts";
import { runTool } from "../../server/postgres/run-tool.ts";
import { quoteDataArgument, findServerUser } from "../../server/postgres/server-user.ts";
import type { SideRoles } from "../../server/store/database/database.ts";
import { listTables } from "../../server/store/database/sides.ts";

export const SIDE_ROLES: SideRoles = { control: "busbar_control", data: "busbar_data" };

/** With this variable at 1, every Busbar and database of the tests has the roles. */
export const sideRoles = (): SideRoles | undefined =>
  process.env["BUSBAR_TEST_SIDES"] === "1" ? SIDE_ROLES : undefined;

/** Role by which a data database reads what is replicated. It needs a password: only a superuser may replicate without one. */
export const REPLICATING_ROLE = { name: "busbar_replicating", password: "replicating" };

/** Creates the roles in a cluster whose server does not run, as only a superuser can, which has no other way in. */
export async function createSideRoles(dataDir: string): Promise<void> {
  const folder = join(dataDir, "postgres");
  const data = join(folder, "data");
  const user = await findServerUser(folder);
  const { postgres } = await findBinaries(dataDir, user);
  const input = Object.values(SIDE_ROLES)
    .map((role) => `CREATE ROLE ${role};\n\nGRANT ${role} TO ${ROLE};\n\n`)
    .join("");
  const rights = [
    `CREATE ROLE ${REPLICATING_ROLE.name} LOGIN REPLICATION PASSWORD '${REPLICATING_ROLE.password}';`,
    `GRANT pg_read_all_data TO ${REPLICATING_ROLE.name};`,
    `ALTER ROLE ${ROLE} REPLICATION;`,
    `GRANT pg_create_subscription TO ${ROLE};`,
  ];
  const args = ["--single", "-D", quoteDataArgument(data, user), "-j", "postgres"];
  const { ok, stderr } = await runTool({
    program: postgres,
    args,
    user,
    cwd: data,
    input: `${input}${rights.join("\n\n")}\n\n`,
  });
  if (!ok || /(ERROR|FATAL|PANIC):/.test(stderr)) throw new Error(`no roles for the sides: ${stderr}`);
}

/** Grants the roles what belongs to their sides, in a migrated database. */
export async function grantSides(connectionString: string): Promise<void> {
  const all = "select, insert, update, delete";
  const { control, data } = SIDE_ROLES;
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(`
      grant ${all} on ${listTables("control", "shared", "own").join(", ")} to ${control};
      grant ${all} on ${listTables("data", "own").join(", ")} to ${data};
      grant select on ${listTables("shared").join(", ")} to ${data};
      grant usage, select on all sequences in schema public to ${control}, ${data};
      grant execute on function add_history_range(text, timestamptz, timestamptz), drop_history_range(text, text) to ${data};
    `);
  } finally {
    await client.end();
  }
}
