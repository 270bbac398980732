/** Limits a customer token to its own group, in one place for all endpoints. */
import { Problem, type Issue } from "../../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { Caller } from "../http/endpoint.ts";
import type { Confine, Inputs } from "../http/server-options.ts";
import { findRowGroupRef } from "../store/access/customers.ts";
import type { Database } from "../store/database/database.ts";

/** Parameters that hold the id of a group's row. A test checks that no route uses another name for one. */
export const OWNED = { connectionId: "connections", installationId: "installations" } as const;
/** Parameters that name the group or consumer. */
const CLAIMS = ["groupRef", "consumerRef"] as const;

type Place = Issue["in"];

/**
 * For customer tokens: refuses another `groupRef` or `consumerRef` with 403 and rows of other groups with 404, and filters
 * lists by group. Other callers are not limited.
 */
export const openGroupLimit =
  (deps: { database: Database }): Confine =>
  async ({ caller, target, inputs }) => {
    if (caller.groupRef === undefined) return inputs;
    for (const { place, values } of listParts(inputs)) {
      for (const claim of CLAIMS) requireOwn(caller, claim, values[claim], place);
      for (const name of Object.keys(OWNED) as (keyof typeof OWNED)[]) {
        await requireOwnRow(deps.database, caller, name, values[name]);
      }
    }
    const filters = target.query?.properties ?? {};
    if (!("groupRef" in filters)) return inputs;
    return { ...inputs, query: { ...toObject(inputs.query), groupRef: caller.groupRef } };
  };

/** Returns path, query, body, and the members of the body that hold a resource. */
function listParts({ params, query, body }: Inputs): { place: Place; values: JsonObject }[] {
  const whole = toObject(body);
  return [
    { place: "path", values: toObject(params) },
    { place: "query", values: toObject(query) },
    { place: "body", values: whole },
    { place: "body", values: toObject(whole["connection"]) },
    { place: "body", values: toObject(whole["installation"]) },
  ];
}

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

function requireOwn(caller: Caller, claim: (typeof CLAIMS)[number], asked: unknown, place: Place): void {
  if (asked === undefined || asked === caller[claim]) return;
  const detail = `This token is limited to the ${claim} \`${caller[claim]}\`.`;
  throw new Problem("forbidden", { detail, issues: [{ in: place, name: claim, detail }] });
}

async function requireOwnRow(
  database: Database,
  caller: Caller,
  name: keyof typeof OWNED,
  id: unknown,
): Promise<void> {
  if (id === undefined || !caller.projectId) return;
  const owner = await findRowGroupRef(database.control, caller.projectId, OWNED[name], String(id));
  if (owner === caller.groupRef) return;
  const what = name === "connectionId" ? "connection" : "installation";
  // The same text as for a row that does not exist, so that a token does not reveal other groups' rows.
  throw new Problem("not-found", { detail: `There is no ${what} \`${String(id)}\` in this project.` });
}
