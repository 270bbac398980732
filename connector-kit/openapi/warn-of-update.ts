/** Warns of what a vendor's OpenAPI document says about updates and no comparison can decide: what they clear, and what they demand. */
import { fillPath } from "../declarative/fill-path.ts";
import type { ObjectPlan } from "../declarative/object-plan.ts";
import type { OpenapiDocument, OpenapiOperation } from "./openapi-operations.ts";
import { listLeaves, resolveSchema } from "./openapi-schema.ts";

/** Words of a sentence that says that fields which an update leaves out are lost. */
const CLEARS =
  /\b(?:replaces the (?:whole|entire)|(?:is|are|will be) (?:cleared|erased|emptied|removed)|(?:is|are) set to null)\b/i;

type Warn = (member: string, message: string) => void;

export function warnOfUpdate(
  plan: ObjectPlan,
  operation: OpenapiOperation,
  { root }: OpenapiDocument,
  warn: Warn,
): void {
  const { update } = plan;
  if (!update) return;
  const said = findSentence(operation.words);
  if (said !== undefined)
    warn(
      "update",
      `the vendor says of ${operation.method} ${operation.bare}: “${said}” Look up what becomes of fields that an update leaves out`,
    );
  const { wrap, also = {}, repeats = [], requires = [] } = update;
  const keeps = (update.keeps ?? []).map(({ at: path }) => path);
  const inside = wrap?.in ?? (wrap?.jsonApi ? "data.attributes" : undefined);
  const at =
    operation.body &&
    resolveSchema(root, operation.body.schema, inside === undefined ? "" : fillPath(inside, plan));
  if (at === undefined || at === "open" || "missing" in at) return;
  for (const [name, { schema, required }] of listLeaves(root, at.schema, 1)) {
    const lost = typeof schema["description"] === "string" ? findSentence(schema["description"]) : undefined;
    if (lost !== undefined && schema["type"] === "object" && !keeps.includes(name))
      warn(
        "update.keeps",
        `the vendor says of ${name}: “${lost}” \`keeps: [{at: ${name}}]\` sends what is there`,
      );
    if (lost !== undefined && schema["type"] === "array" && !keeps.includes(name))
      warn("update", `the vendor says of the list ${name}: “${lost}” Callers write the whole list`);
    if (
      required &&
      ![...repeats, ...requires, ...Object.keys(also)].includes(name) &&
      update.idTo !== `body.${name}`
    )
      warn("update", `the vendor demands ${name} in each update: \`repeats: [${name}]\` sends what is there`);
  }
}

const findSentence = (text = ""): string | undefined =>
  text
    .split(/(?<=\.)|\n/)
    .find((sentence) => CLEARS.test(sentence))
    ?.trim();
