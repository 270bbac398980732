/** GET /callbacks/v1/custom-auth */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { FORWARDING_DESCRIPTION, forwardingPage, FORWARDING_SUCCESS } from "./forwarding-page.ts";

export const customAuthCallback = () =>
  endpoint({
    operationId: "customAuthCallback",
    tag: "OAuth",
    summary: "Callback of custom authentication",
    description: FORWARDING_DESCRIPTION,
    query: Type.Object({}),
    success: FORWARDING_SUCCESS,
    handle: async ({ query }) => forwardingPage(Object.entries(query)),
  });
