/** Adds examples to the OpenAPI document, for people who read it; generators of clients do not need them. */
import { PROBLEM_TYPES } from "../../../ground/problem-types.ts";

/** A request and its answer, as far as they are JSON. */
export interface Example {
  /** Distinguishes several examples of one operation. */
  title?: string;
  query?: Record<string, string>;
  request?: unknown;
  response?: unknown;
}

/** The parts of the document that get examples. */
interface Described {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { responses: Record<string, DescribedResponse> };
}
interface DescribedOperation {
  operationId: string;
  parameters: { in: string; name: string }[];
  requestBody?: DescribedResponse;
  responses: Record<string, DescribedResponse>;
}
interface DescribedResponse {
  content?: Record<string, object>;
}

/** Returns the document with recorded examples by operation id, and one Problem per status. */
export function withExamples<Document extends object>(
  document: Document,
  examples: Record<string, Example[]>,
): Document & { components: { examples: Record<string, { value: object }> } } {
  // The document is the server's own; its shape is known.
  const { paths, components } = structuredClone(document) as unknown as Described;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    addRecorded(operation, examples[operation.operationId] ?? []);
  }
  const problems = buildProblemExamples();
  for (const [name, { content = {} }] of Object.entries(components.responses)) {
    const [status] = /Problem\d{3}$/.exec(name) ?? [];
    if (status === undefined) continue;
    for (const [media, described] of Object.entries(content)) {
      if (media.endsWith("json"))
        Object.assign(described, {
          examples: { problem: { $ref: `#/components/examples/${status}` } },
        });
    }
  }
  return { ...document, paths, components: { ...components, examples: problems } } as never;
}

function addRecorded(operation: DescribedOperation, examples: Example[]): void {
  for (const parameter of operation.parameters) {
    const shown = parameter.in === "query" ? examples[0]?.query?.[parameter.name] : undefined;
    if (shown !== undefined) Object.assign(parameter, { example: shown });
  }
  const success = Object.entries(operation.responses).find(([status]) => /^[23]/.test(status))?.[1];
  addExamples(operation.requestBody, examples, "request");
  addExamples(success, examples, "response");
}

/** Adds examples to a body. Several get names; a single one needs none. */
function addExamples(
  described: DescribedResponse | undefined,
  examples: Example[],
  side: "request" | "response",
): void {
  const given = examples.filter((example) => example[side] !== undefined);
  const named = given.map(({ title = "", ...said }) => [title, { summary: title, value: said[side] }]);
  for (const media of Object.values(described?.content ?? {})) {
    if (given.length === 1) Object.assign(media, { example: given[0]?.[side] });
    if (given.length > 1) Object.assign(media, { examples: Object.fromEntries(named) });
  }
}

const DETAILS: Record<number, string> = {
  400: "groupRef: is missing",
  401: "Send an API key of the project in the header `X-Api-Key`.",
  403: "This needs an API key with the scope `full`, not one with `frontend`. Call it from your server.",
  404: "There is no project `acme`.",
  409: "There is a topic `news` in this project already. Choose another name.",
  413: "The body is larger than this endpoint takes (10 MB, without a credential 64 KB, uploads 50 MB). Send it in smaller parts.",
  415: "This endpoint takes a JSON body: send it with the header `Content-Type: application/json`.",
  422: "name: must be 1 to 64 letters, digits and dashes, with no dash at either end",
  429: "The limit of this connection is reached. Try again in 1 second.",
  500: "This is a fault of the service, not of the request. The log has it under the `requestId`.",
  501: "Reading is not built yet.",
  502: "The provider could not be reached. Try again later.",
  503: "The database does not answer at the moment. Nothing was done; try again in a few seconds.",
  504: "The provider did not answer within 30 seconds.",
};

/** Builds one Problem per status, of the first type in the table with that status. */
function buildProblemExamples(): Record<string, { summary: string; value: object }> {
  const entries = Object.entries(DETAILS).flatMap(([text, detail]) => {
    const status = Number(text);
    const found = Object.entries(PROBLEM_TYPES).find(([, type]) => type.status === status);
    if (!found) return [];
    const [slug, { title, retryable }] = found;
    const type = `https://busbar.example.com/docs/problems/${slug}`;
    const requestId = "0198a1f2-6c1e-7d30-9c43-7a1b5e2f9d10";
    const place = { instance: `urn:uuid:${requestId}`, requestId, subsystem: "api" };
    const time = "2026-01-15T09:00:00.000Z";
    const issue = { type: "about:blank", title, status, in: "body", name: "groupRef", detail: "is missing" };
    const issues = status === 400 ? { issues: [issue] } : {};
    const value = { type, href: type, title, status, detail, time, ...place, retryable, ...issues };
    return [[`Problem${status}`, { summary: title, value }] as const];
  });
  return Object.fromEntries(entries);
}
