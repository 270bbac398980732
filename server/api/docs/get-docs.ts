/** GET /docs: the API reference as a page. */
import { endpoint, type Endpoint } from "../../http/endpoint.ts";
import { htmlPage } from "./html-page.ts";
import { readerPage } from "./reader.ts";

export const getDocs = (): Endpoint =>
  endpoint({
    operationId: "getDocs",
    tag: "Documentation",
    summary: "Read the API reference",
    description: "A page for people, made from `/openapi.json`. It loads nothing from other servers.",
    success: htmlPage("The page."),
    handle: async () => readerPage(),
  });
