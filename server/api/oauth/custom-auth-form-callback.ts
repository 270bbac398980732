/** POST /callbacks/v1/custom-auth: the same for providers that send a form. */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { FORM_LIMIT_BYTES, formOf } from "./form-body.ts";
import { FORWARDING_DESCRIPTION, forwardingPage, FORWARDING_SUCCESS } from "./forwarding-page.ts";

export const customAuthFormCallback = () =>
  endpoint({
    operationId: "customAuthFormCallback",
    tag: "OAuth",
    summary: "Callback of custom authentication, by a form",
    description: FORWARDING_DESCRIPTION,
    query: Type.Object({}),
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: FORWARDING_SUCCESS,
    async handle({ query, body }) {
      return forwardingPage([...Object.entries(query), ...formOf(body)]);
    },
  });
