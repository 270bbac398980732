/** GET /v1/sign-in-ways */
import { Type } from "typebox";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint } from "../../http/endpoint.ts";

export const listSignInWays = (deps: { sessions: SignInSessions; config: { bootstrapApiKey?: string } }) =>
  endpoint({
    operationId: "listSignInWays",
    tag: "People",
    summary: "List the ways to sign in",
    description: "For a sign-in page: with an API key, or at an OpenID Connect issuer.",
    success: {
      status: 200,
      description: "The ways.",
      schema: Type.Object(
        {
          ways: Type.Array(
            Type.Object({
              type: Type.Enum(["apiKey", "oidc"], {
                description: "`apiKey`: `POST /v1/sessions`; `oidc`: `GET /callbacks/v1/sign-in/begin`.",
              }),
              name: Type.Optional(Type.String({ description: "Name of the issuer, for a button." })),
            }),
            { description: "The ways, the usual one first." },
          ),
          firstKey: Type.Optional(
            Type.String({ description: "Where an operator finds the key of the first start." }),
          ),
        },
        { title: "SignInWays", description: "How people sign in to this Busbar." },
      ),
    },
    async handle() {
      const { issuer } = deps.sessions;
      if (issuer) return { ways: [{ type: "oidc" as const, name: new URL(issuer).host }] };
      return { ways: [{ type: "apiKey" as const }], firstKey: firstKey(deps.config.bootstrapApiKey) };
    },
  });

const firstKey = (chosen: string | undefined): string =>
  chosen === undefined
    ? "The key of the first start is in the file `bootstrap.json` of the server's data folder (`BUSBAR_DATA_DIR`, by default `.busbar`)."
    : "The key of the first start is the one that the operator set as `BUSBAR_BOOTSTRAP_API_KEY`.";
