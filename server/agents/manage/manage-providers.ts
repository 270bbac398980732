/** Tools for the file of a provider of one's own: what is wrong in it, and what its connector would send and read. */
import { setImmediate } from "node:timers/promises";
import { Type } from "typebox";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { describeConnector } from "../../../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../../../connector-kit/declarative/rules/description.ts";
import { findCheapestObject } from "../../../connector-kit/declarative/object-plan.ts";
import type { CustomProvider } from "../../../connector-kit/catalog.ts";
import { checkCustomProvider, warnOfProvider } from "../../../connector-kit/custom-provider.ts";
import type { ProviderFault } from "../../../connector-kit/provider/check-provider.ts";
import type { ProviderRequest, ProviderResponse } from "../../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint, ReadPlan, SourceRecord } from "../../../connector-kit/read-connector.ts";
import { findClosest } from "../../../ground/closest.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { parseManifest } from "../../../manifest/parse-manifest.ts";
import { truncateToBytes } from "../agent-lookups.ts";
import { defineTool, LOOKS_UP } from "../agent-tool.ts";
import type { ManageCall } from "./manage-call.ts";

const KEY = "x-checked";

const DescriptionArgument = Type.String({
  minLength: 1,
  maxLength: 200_000,
  description: "Text of the provider's file, `providers/x-….yaml`, as YAML or JSON.",
});

const Faults = Type.Array(
  Type.Object({
    path: Type.String({ description: "Place in the file." }),
    message: Type.String({ description: "What is wrong there." }),
  }),
  { description: "What must be mended." },
);

export const checkDescriptionTool = defineTool({
  name: "check_description",
  title: "Check the file of a provider",
  description:
    "Checks the file of a provider of one's own: how customers connect, and the description of its objects. Every fault has its place. It " +
    "finds what contradicts the format, not what contradicts the vendor: compare with the vendor's OpenAPI document by `busbar check provider`.",
  input: Type.Object({ description: DescriptionArgument }),
  output: Type.Object({
    valid: Type.Boolean({ description: "Whether the file can be deployed." }),
    faults: Faults,
    warnings: Faults,
  }),
  annotations: LOOKS_UP,
  rights: ["full"],
  async run(_call: ManageCall, { description }) {
    const { own, faults } = await readCustomProvider(description);
    const warnings = own ? warnOfProvider(own).map(toEntry) : [];
    return { valid: own !== undefined, faults: truncateToBytes(faults.map(toEntry)).kept, warnings };
  },
});

const toEntry = ({ path, message }: ProviderFault): JsonObject => ({ path, message });

/** Reads a file of a provider; text that is neither YAML nor JSON has faults by their lines. */
async function readCustomProvider(
  text: string,
): Promise<{ own: CustomProvider | undefined; faults: ProviderFault[] }> {
  const { document, findings } = parseManifest(text);
  if (findings.length > 0) {
    const faults = findings.map(({ line, message, remedy }) => ({
      path: `line ${line}`,
      message: `${message} ${remedy}`,
    }));
    return { own: undefined, faults };
  }
  // Lets other requests run: a large document takes some tenths of a second.
  await setImmediate();
  return checkCustomProvider(KEY, document?.data);
}

const Request = Type.Object(
  {
    action: Type.String({ description: "What it is for: `read`, `read next page`, `create` and so on." }),
    method: Type.String({ description: "Method." }),
    path: Type.String({ description: "Path and query below `baseURL`." }),
    body: Type.Optional(Type.Unknown({ description: "Body." })),
  },
  { additionalProperties: true },
);

export const simulateProviderTool = defineTool({
  name: "simulate_provider",
  title: "Simulate a provider",
  description:
    "Runs the connector that the file of a provider describes, without a network: returns the requests that it would send, and the records " +
    "that it reads out of `answer`, an answer copied from the vendor's documentation. It shows what Busbar does, not what the vendor does.",
  input: Type.Object({
    description: DescriptionArgument,
    object: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The object. Default: the first one that is read.",
      }),
    ),
    answer: Type.Optional(
      Type.Unknown({
        description: "The vendor's answer to the list: JSON, or its text. Default: nothing is read.",
      }),
    ),
    record: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "Fields to write. Default: the writes' requests are shown with the object's example, or `name`.",
      }),
    ),
  }),
  output: Type.Object({
    object: Type.String({ description: "The object that was simulated." }),
    requests: Type.Array(Request, { description: "In the order in which they would be sent." }),
    records: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ description: "Id of the record." }),
          fields: Type.Object({}, { additionalProperties: true, description: "Its fields." }),
          changeTime: Type.Optional(Type.String({ description: "When it last changed." })),
        }),
        { description: "Read out of `answer`." },
      ),
    ),
    goesOn: Type.Optional(
      Type.Boolean({ description: "Whether a next page would be requested after `answer`." }),
    ),
    refusal: Type.Optional(Type.String({ description: "Why `answer` cannot be read." })),
  }),
  annotations: LOOKS_UP,
  rights: ["full"],
  async run(_call: ManageCall, { description: text, object, answer, record }) {
    const { own, faults } = await readCustomProvider(text);
    const [fault] = faults;
    if (!own)
      throw toMemberProblem(
        "description",
        `${fault?.path ?? ""}: ${fault?.message ?? "is faulty"}. Use check_description.`,
      );
    if (!own.description)
      throw toMemberProblem(
        "description",
        "has no `connector`, so there is nothing to simulate. Describe an object first.",
      );
    return simulate(own.description, chooseObject(own.description, object), { answer, record });
  },
});

function chooseObject(description: Description, named: string | undefined): string {
  const names = Object.keys(description.objects);
  const name = named ?? findCheapestObject(description) ?? names[0];
  if (name !== undefined && names.includes(name)) return name;
  const near = findClosest(name ?? "", names);
  throw toMemberProblem(
    "object",
    `is not described. ${near ? `Did you mean \`${near}\`?` : `There are ${names.join(", ")}.`}`,
  );
}

interface Given {
  answer: unknown;
  record: Record<string, unknown> | undefined;
}

const SAMPLE_ID = "1";

async function simulate(
  description: Description,
  object: string,
  { answer, record }: Given,
): Promise<JsonObject> {
  const { read, write, objects } = describeConnector("the provider", description);
  const requests: JsonObject[] = [];
  const show = (action: string, { method, path, headers, body }: ProviderRequest) => {
    requests.push({ action, method, path, ...(headers && { headers }), ...(body !== undefined && { body }) });
  };
  const plan: ReadPlan = { objectName: object, fields: [], filters: [], associations: [] };
  let found: JsonObject = {};
  if (read && objects?.can("read", object)) {
    show("read", read.preparePage(plan));
    if (answer !== undefined) {
      const { records, next, refusal } = await readAnswer(read, plan, answer);
      if (next) show("read next page", read.preparePage(plan, next));
      found = {
        ...(records && { records: truncateToBytes(records.map(toRecord)).kept, goesOn: next !== undefined }),
        ...(refusal !== undefined && { refusal }),
      };
    }
    show("read changes", read.preparePage({ ...plan, since: new Date("2026-01-02T03:04:05Z") }));
  }
  const fields = (record ?? description.objects[object]?.example ?? { name: "Ada" }) as JsonObject;
  for (const type of ["create", "update", "delete"] as const) {
    const id = type === "create" ? {} : { id: SAMPLE_ID };
    const one = { ...id, fields: type === "delete" ? {} : fields };
    const asked = { objectName: object, type, batch: false, allOrNone: false, headers: {}, records: [one] };
    try {
      for (const request of write?.prepare(asked) ?? []) show(type, request);
    } catch (error) {
      // The object cannot be written like this.
      if (!(error instanceof ProviderError)) throw error;
    }
  }
  return { object, requests, ...found };
}

type Read = NonNullable<ReturnType<typeof describeConnector>["read"]>;

/** Lets the connector read one answer; whatever else it asks for gets none. */
async function readAnswer(
  read: Read,
  plan: ReadPlan,
  answer: unknown,
): Promise<{ records?: SourceRecord[]; next?: Checkpoint | undefined; refusal?: string }> {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const headers = { "content-type": "application/json" };
  let answered = false;
  const fetch = async ({ method, path }: ProviderRequest): Promise<ProviderResponse> => {
    if (answered)
      throw new ProviderError({ kind: "unavailable", message: `it asks for more: ${method} ${path}` });
    answered = true;
    return { status: 200, headers, text };
  };
  try {
    const { records, next } = await read.readPage(plan, undefined, fetch);
    return { records, next };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { refusal: error.message };
  }
}

const toRecord = ({ id, values, changeTime }: SourceRecord): JsonObject => ({
  id,
  fields: toJson(values),
  ...(changeTime && { changeTime: changeTime.toISOString() }),
});

const toJson = (value: JsonObject): JsonObject => {
  const plain = JSON.parse(JSON.stringify(value)) as Json;
  return isJsonObject(plain) ? plain : {};
};
