/** The tool that explains a failed operation: what happened, what is still wrong, and what to do. */
import { Type } from "typebox";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import { Problem } from "../../../ground/errors.ts";
import { PROBLEM_TYPES, type ProblemSlug } from "../../../ground/problem-types.ts";
import { openGuide } from "../../guide/open-guide.ts";
import { toSectionPath } from "../../guide/guide-pages.ts";
import { readOperation } from "../agent-lookups.ts";
import { REFUSED_WRITE_SLUGS } from "../../write/write-response.ts";
import { defineTool, LOOKS_UP } from "../agent-tool.ts";
import { callAs } from "../api-operations.ts";
import type { ManageCall } from "./manage-call.ts";
import { OperationArgument } from "./manage-lookups.ts";

const MAX_STEPS = 20;
const MAX_SECTIONS = 3;

export const explainFailureTool = defineTool({
  name: "explain_failure",
  title: "Explain a failure",
  description:
    "Says why a read or write failed or does not end: its result, the last steps with the provider's words, what it waits for, what is " +
    "wrong with the customer's installation now, and the sections of the guide about it.",
  input: Type.Object({ operationId: OperationArgument }),
  output: Type.Object({
    status: Type.String({ description: "`in_progress`, `success` or `failure`." }),
    explanation: Type.String({ description: "What is known, in a few sentences." }),
    steps: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: "The last steps that tell of trouble, oldest first.",
    }),
    health: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: "What is wrong with the installation now. Empty: nothing that Busbar knows of.",
    }),
    guide: Type.Array(
      Type.Object({
        title: Type.String({ description: "Heading of the section." }),
        url: Type.String({ description: "Address of the section." }),
      }),
      { description: "Sections of the guide that may help." },
    ),
  }),
  annotations: LOOKS_UP,
  rights: ["full"],
  async run(call: ManageCall, { operationId }) {
    const { operation, log } = await readOperation(call, operationId);
    const steps = log.filter(isTrouble).slice(-MAX_STEPS);
    const health = await readHealth(call, operation);
    const slug = findProblemSlug(operation, steps);
    const explanation = explain(operation, { steps, health, slug });
    const words = operation["result"] ?? describeStep(steps.at(-1));
    const publicUrl = call.deps.publicUrl();
    const page = slug && { title: PROBLEM_TYPES[slug].title, url: `${publicUrl}/docs/problems/${slug}` };
    const guide = await openGuide();
    const sections = typeof words === "string" ? guide.search(words.slice(0, 100), MAX_SECTIONS) : [];
    return {
      status: String(operation["status"]),
      explanation,
      steps,
      health,
      guide: [
        ...(page ? [page] : []),
        ...sections.map((section) => ({
          title: section.title,
          url: `${publicUrl}${toSectionPath(section)}`,
        })),
      ],
    };
  },
});

const isTrouble = ({ severity }: JsonObject): boolean => severity === "ERROR" || severity === "WARNING";

/** Returns the type of the Problem with which a write was refused, by the kind of error in the last step that has one. */
function findProblemSlug({ status, actionType }: JsonObject, steps: JsonObject[]): ProblemSlug | undefined {
  if (status !== "failure" || actionType !== "write") return undefined;
  const kinds = steps.map(({ message }) => {
    const details = isJsonObject(message) ? message["details"] : undefined;
    return isJsonObject(details) ? details["kind"] : undefined;
  });
  const kind = kinds.findLast((each) => typeof each === "string");
  return Object.entries(REFUSED_WRITE_SLUGS).find(([name]) => name === kind)?.[1];
}

/** Returns what a step of the log says: the error, or else what was done. */
function describeStep(step: JsonObject | undefined): string | undefined {
  const message = step?.["message"];
  const said = isJsonObject(message) ? (message["error"] ?? message["msg"]) : undefined;
  return typeof said === "string" ? said : undefined;
}

/** Returns the reasons for which the installation is unhealthy now; none for one that is gone. */
async function readHealth(call: ManageCall, operation: JsonObject): Promise<JsonObject[]> {
  const { integrationId, installationId } = operation;
  try {
    const installation = await callAs(call, "getInstallation", { params: { integrationId, installationId } });
    const reasons = isJsonObject(installation) ? installation["healthReasons"] : undefined;
    return Array.isArray(reasons) ? reasons.filter(isJsonObject) : [];
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return [GONE];
    throw error;
  }
}

const GONE: JsonObject = { type: "installation", detail: "The installation was deleted since." };

function explain(
  operation: JsonObject,
  { steps, health, slug }: { steps: JsonObject[]; health: JsonObject[]; slug: ProblemSlug | undefined },
): string {
  const { status, result, metadata } = operation;
  const read = isJsonObject(metadata) && isJsonObject(metadata["read"]) ? metadata["read"] : {};
  const parts: string[] = [];
  if (status === "in_progress") {
    const { waitsFor, waitingSince } = read;
    parts.push(
      typeof waitsFor === "string"
        ? `It has not ended: it waits for ${WAITS[waitsFor] ?? waitsFor} since ${String(waitingSince)}.`
        : "It has not ended.",
    );
  } else parts.push(status === "success" ? "It did not fail." : "It failed and is not tried again.");
  if (typeof result === "string") parts.push(endSentence(`Result: ${result}`));
  const last = describeStep(steps.at(-1));
  if (last !== undefined && !String(result ?? "").includes(last))
    parts.push(endSentence(`The last trouble: ${last}`));
  if (slug) parts.push(`What to do: ${PROBLEM_TYPES[slug].remedy}`);
  for (const { type, name, detail, since } of health) {
    const what = [type, name].filter((one) => typeof one === "string").join(" ");
    const when = typeof since === "string" ? ` (since ${since})` : "";
    parts.push(endSentence(`Now: ${what}${when}: ${String(detail)}`));
  }
  return parts.join(" ");
}

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const WAITS: Record<string, string> = {
  provider: "a provider that fails",
  rate_limit: "the end of a rate limit",
  destination: "a destination that is behind or disabled",
  calls: "free daily calls of the account",
  credentials: "new credentials of the customer",
};
