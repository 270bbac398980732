/** Keeps a customer's token to the customer's own group, in one place for every endpoint. */
import { Problem, type Issue } from "../ground/errors.ts";
import { isJsonObject, type JsonObject } from "../ground/json.ts";
import type { Caller } from "../http/endpoint.ts";
import type { Confine, Inputs } from "../http/server-options.ts";
import { findGroupRefOf } from "../store/customers.ts";
import type { Database } from "../store/database.ts";

/** Parameters that name a row of one group. A route that names one otherwise must be taught here; a test holds that. */
export const OWNED = { connectionId: "connections", installationId: "installations" } as const;
/** Parameters that name the group or person themselves. */
const CLAIMS = ["groupRef", "consumerRef"] as const;

type Place = Issue["in"];

/**
 * For callers who speak for one group: a `groupRef` or `consumerRef` that is not theirs is refused with 403, rows of
 * other groups with 404, and a list that can be filtered by group is. Everybody else passes.
 */
export const openGroupLimit =
  (deps: { database: Database }): Confine =>
  async ({ caller, target, inputs }) => {
    if (caller.groupRef === undefined) return inputs;
    for (const { place, values } of parts(inputs)) {
      for (const claim of CLAIMS) requireOwn(caller, claim, values[claim], place);
      for (const name of Object.keys(OWNED) as (keyof typeof OWNED)[]) {
        await requireOwnRow(deps.database, caller, name, values[name]);
      }
    }
    const filters = target.query?.properties ?? {};
    if (!("groupRef" in filters)) return inputs;
    return { ...inputs, query: { ...toObject(inputs.query), groupRef: caller.groupRef } };
  };

/** Path, query and body, and the members of the body that hold a resource. */
function parts({ params, query, body }: Inputs): { place: Place; values: JsonObject }[] {
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
  const detail = `This token speaks for the ${claim} \`${caller[claim]}\` only.`;
  throw new Problem("forbidden", { detail, issues: [{ in: place, name: claim, detail }] });
}

async function requireOwnRow(
  database: Database,
  caller: Caller,
  name: keyof typeof OWNED,
  id: unknown,
): Promise<void> {
  if (id === undefined || !caller.projectId) return;
  const owner = await findGroupRefOf(database.queries, caller.projectId, OWNED[name], String(id));
  if (owner === caller.groupRef) return;
  const what = name === "connectionId" ? "connection" : "installation";
  // The same words as for a row that does not exist: a token must not find out what others have.
  throw new Problem("not-found", { detail: `There is no ${what} \`${String(id)}\` in this project.` });
}
