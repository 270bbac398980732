/** How a vendor refuses requests: the part of `connectors/<provider>/facts.json` about errors. */
import { Type } from "typebox";
import { closed, integer, buildUnion, optional, text } from "./paging-facts.ts";

export const ErrorFacts = closed({
  source: text("Key in `sources`."),
  body: Type.Unknown({
    description: "The body of a refusal as published, with `REASON` in place of the reason.",
  }),
  message: text("Path of the reason in it."),
  code: optional("Path of the code in it."),
  field: optional("Path in it of the name of the field that the reason is about."),
  status: integer("Status of every refusal, where the vendor has only one, for example 200."),
  rateLimits: Type.Optional(
    Type.Array(
      closed({
        status: Type.Integer(),
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        body: Type.Optional(Type.Unknown()),
        waitSeconds: integer("How long the vendor says that a client has to wait."),
      }),
      { description: "Every way in which the vendor says that a rate limit is reached." },
    ),
  ),
  others: Type.Optional(
    Type.Array(
      closed({
        source: text("Key in `sources`."),
        status: Type.Integer(),
        body: Type.Unknown({
          description: "The body, with `REASON` in place of the reason; a text is plain text.",
        }),
        code: optional("Path of the code in it."),
        field: optional("Path in it of the name of the field that the reason is about."),
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        waitSeconds: integer("How long the vendor says that a client has to wait."),
        of: Type.Optional(
          buildUnion(["read", "create", "update"], "Of these requests only. Default: `read`, `create`."),
        ),
        means: Type.Optional(
          buildUnion(
            [
              "unauthorized",
              "forbidden",
              "not_found",
              "invalid",
              "conflict",
              "rate_limited",
              "unavailable",
              "unknown_outcome",
            ],
            "What the vendor says that it means. `unknown_outcome`: it may have been done all the same.",
          ),
        ),
      }),
      { description: "Refusals that the vendor words otherwise than in `body`." },
    ),
  ),
});
