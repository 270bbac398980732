/** GET /openapi.json: the API, described for programs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "typebox";
import { endpoint, Page, type Endpoint } from "../../http/endpoint.ts";
import { withExamples } from "../../http/openapi-examples.ts";

const OPENAPI = join(import.meta.dirname, "../../../openapi.json");
const EXAMPLES = join(import.meta.dirname, "examples.json");

/** Both files are read per request: they are generated, checked fresh, and too large to keep in memory. */
export const getOpenApi = (): Endpoint =>
  endpoint({
    operationId: "getOpenApi",
    tag: "Documentation",
    summary: "Get this API as an OpenAPI 3.1 document",
    description: "The document that `/docs` shows, for generators of clients and other tools.",
    query: Type.Object({
      examples: Type.Optional(
        Type.Boolean({ description: "Whether to include examples of requests and answers. Default false." }),
      ),
    }),
    success: {
      status: 200,
      description: "The document.",
      schema: Type.Record(Type.String(), Type.Unknown()),
    },
    handle: async ({ query }) =>
      new Page(query.examples ? await exampleDocument() : await readFile(OPENAPI), {
        status: 200,
        headers: { "cache-control": "no-cache" },
        mediaType: "application/json",
      }),
  });

async function exampleDocument(): Promise<string> {
  const [document, examples] = await Promise.all([readFile(OPENAPI, "utf8"), readFile(EXAMPLES, "utf8")]);
  return JSON.stringify(withExamples(JSON.parse(document), JSON.parse(examples)));
}
