/** GET /docs/problems: every problem type. */
import { endpoint, type Endpoint } from "../../http/endpoint.ts";
import { problemTypesPage } from "../../http/problems-page.ts";
import { htmlPage } from "./html-page.ts";

export const getProblemTypes = (): Endpoint =>
  endpoint({
    operationId: "getProblemTypes",
    tag: "Documentation",
    summary: "Read about all problem types",
    description: "A page with all problem types: status, title, and whether a retry can succeed.",
    success: htmlPage("The page."),
    handle: async () => problemTypesPage(),
  });
