/** Names who asked for an operation, and tells principals apart. */
import { Type } from "typebox";
import type { Caller } from "../http/endpoint.ts";
import type { Actor } from "../store/operations.ts";

export const ActorSchema = Type.Object(
  {
    kind: Type.Enum(["agent", "key", "person", "customer"], {
      description:
        "`agent`: it was a call of a tool, with whatever credential. Otherwise the credential: an API key, a person's session " +
        "or a customer's token.",
    }),
    id: Type.String({
      description:
        "Id of the API key or person, or the `consumerRef` of a customer's token; of another issuer's token `iss` and `sub`, " +
        "with a space between.",
    }),
    name: Type.Optional(Type.String({ description: "Name that the key or person had." })),
    client: Type.Optional(Type.String({ description: "Of an agent: how its program calls itself." })),
    onBehalfOf: Type.Optional(Type.String({ description: "Of an agent: for whom it says that it acts." })),
  },
  { title: "Actor", description: "Who asked for it." },
);

/** Returns who makes a call; undefined for nobody. */
export function toCallActor({ builderId, apiKeyId, groupRef, consumerRef, name }: Caller): Actor | undefined {
  const named = name === undefined ? {} : { name };
  if (builderId !== undefined) return { kind: "person", id: builderId, ...named };
  if (apiKeyId !== undefined) return { kind: "key", id: apiKeyId, ...named };
  if (groupRef !== undefined) return { kind: "customer", id: consumerRef ?? groupRef };
  return undefined;
}
