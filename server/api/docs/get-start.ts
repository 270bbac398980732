/** GET /: sends a browser to the reference. */
import { endpoint, Page, type Endpoint } from "../../http/endpoint.ts";

export const getStart = (): Endpoint =>
  endpoint({
    operationId: "getStart",
    tag: "Documentation",
    summary: "Open the start page",
    description: "Redirects a browser to the API reference.",
    success: { status: 302, description: "To `/docs`." },
    handle: async () =>
      new Page("", { status: 302, headers: { location: "/docs", "cache-control": "no-store" } }),
  });
