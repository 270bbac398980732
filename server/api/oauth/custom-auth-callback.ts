/** GET /callbacks/v1/custom-auth */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { htmlPage } from "../docs/html-page.ts";
import type { FlowServices } from "./custom-auth-flow.ts";
import { callbackPage, FORWARDING_DESCRIPTION, strangeBrowser } from "./forwarding-page.ts";

export const customAuthCallback = (deps: FlowServices) =>
  endpoint({
    operationId: "customAuthCallback",
    tag: "OAuth",
    summary: "Callback of custom authentication",
    description: FORWARDING_DESCRIPTION,
    query: Type.Object({}),
    success: htmlPage("The page that posts the parameters."),
    otherPages: { 400: "The browser has not continued to the provider's page." },
    handle: async ({ query, headers }) =>
      (await callbackPage(deps, Object.entries(query), headers)) ?? strangeBrowser(),
  });
