/** GET /: the dashboard for a browser, the reference for other clients. */
import { endpoint, Page, type Endpoint } from "../../http/endpoint.ts";
import { prefersHtml } from "../../http/prefers-html.ts";

/** `dashboardPage` is undefined where the dashboard is switched off. */
export const getStart = (deps: { dashboardPage?: () => Page }): Endpoint =>
  endpoint({
    operationId: "getStart",
    tag: "Documentation",
    summary: "Open the start page",
    description: "Answers a browser with the dashboard, and redirects other clients to the API reference.",
    success: { status: 302, description: "To `/docs`." },
    otherPages: { 200: "The dashboard.", 503: "The dashboard is not built yet." },
    async handle({ headers }) {
      if (deps.dashboardPage && prefersHtml(headers.accept)) return deps.dashboardPage();
      return new Page("", { status: 302, headers: { location: "/docs", "cache-control": "no-store" } });
    },
  });
