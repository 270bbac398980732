/** Approvals as the API and events show them. */
import { Type, type Static } from "typebox";
import { described, describeTime } from "../../ground/described.ts";

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

export const APPROVAL_STATUSES = [
  "pending",
  "approved",
  "rejected",
  "expired",
  "executed",
  "stale",
  "failed",
] as const;

const values = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
const text = (description: string) => Type.Optional(Type.String({ description }));

export const ApprovalSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the approval." }),
    status: Type.Enum([...APPROVAL_STATUSES], {
      description:
        "`pending`: nobody has decided. `approved`: it will be carried out in a moment, or when agents are no longer paused. " +
        "`rejected`, `expired`: nothing was or will be sent. `stale`: the record has changed since, so nothing was sent. " +
        "`executed`: it was carried out; its operation says with what outcome, which may be unknown. `failed`: it could not be, " +
        "see `reason` and, where there is one, the operation.",
    }),
    tool: Type.String({ description: "The tool that the agent called." }),
    groupRef: text("Your own id for the customer. Absent for an act on the project itself."),
    integration: text("Name of the integration."),
    object: text("The object, by your name for it where it has one."),
    recordId: text("The provider's id of the record. Absent where there is none yet."),
    arguments: values("What the agent called the tool with."),
    argumentsHash: Type.String({
      description: "SHA-256 of `arguments` in canonical form (RFC 8785), in hexadecimal digits.",
    }),
    before: Type.Optional(
      values("The fields that change, as they were when the agent asked; for a deletion the whole record."),
    ),
    after: Type.Optional(values("These fields as they will be. Absent for a deletion.")),
    actor: described(ActorSchema, "Who asked for it."),
    createTime: describeTime("When the agent asked."),
    expireTime: describeTime("When it expires if nobody decides."),
    decideTime: Type.Optional(describeTime("When it was decided.")),
    decidedBy: Type.Optional(described(ActorSchema, "Who decided.")),
    reason: text("Why it was rejected, or ended without being carried out."),
    operationId: text("Id of the operation that carries it out, once it was sent."),
  },
  { title: "Approval", description: "An act of an agent that somebody else decides on." },
);

export type Approval = Static<typeof ApprovalSchema>;

export const ApprovalEventSchema = Type.Object(
  { approval: described(ApprovalSchema, "The approval as it is with this event.") },
  { title: "ApprovalEvent", description: "An act of an agent needs a decision, or was decided." },
);
