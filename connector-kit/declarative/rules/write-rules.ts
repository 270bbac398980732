/** The parts of a description about single writes, in addition to the request: masks, hashes, results in a success. */
import { Type, type Static } from "typebox";

const text = (description: string) => Type.String({ description });

/** For requests whose success is "Accepted". */
export const accepted = Type.Boolean({
  description:
    "The provider's source names the status 202 as a success. Without it, 202 is neither success nor failure: the request is accepted, and may still be refused.",
});

/** For updates that change, or clear, the members that a parameter names. */
export const FieldMask = Type.Object(
  {
    to: text("Where the names go: `query.<name>` or `body.<path>`."),
    separator: Type.Optional(text("Between two names, instead of a comma.")),
  },
  { description: "Where an update names the members that it has." },
);

/** For providers that demand fields of an update beside those that it changes, or would clear them. */
export const completeUpdate = {
  repeats: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Paths of fields that each update must have. Where the caller leaves them out, the record is read before, and they are sent as they " +
        "are there. What the record does not have is left to the provider to refuse.",
    }),
  ),
  together: Type.Optional(
    Type.Array(Type.Array(Type.String()), {
      description:
        "Paths of fields that the provider writes as one, for example `[owner.id, team.id]`: where an update names some of them, the others are " +
        "sent as they are in the record, which is read before. Otherwise the provider would clear them.",
    }),
  ),
  keeps: Type.Optional(
    Type.Array(
      Type.Object({
        at: text("Path of the object or list."),
        by: Type.Optional(
          text("For a list: the member of an entry that tells which one it is, such as `id`."),
        ),
      }),
      {
        description:
          "Objects of fields, and lists, that the provider replaces as a whole, so that an update of a part would clear the rest. The record " +
          "is read before, and what the caller leaves out is sent as it is there.",
      },
    ),
  ),
  requires: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Fields that each update must have and that no answer tells: an update without them is refused before anything is sent.",
    }),
  ),
};

/** How the value of a key is written in the path of an upsert. */
export const KeyHash = Type.Union([Type.Literal("md5"), Type.Literal("sha256")], {
  description:
    "`{value}` in the path is this hash, in hexadecimal, of the key in lower case. The key stays among the fields.",
});

/** How a written record is distinguished from a refused one. */
export const resultRules = {
  okWhen: Type.Optional(
    text(
      "`path=value` of the results of written records, or `path=value|value` for several values. Default: all were written.",
    ),
  ),
  message: Type.Optional(Type.Array(Type.String(), { description: "Paths of the reason in a result." })),
  code: Type.Optional(text("Path of the provider's code in a result.")),
};

export const Written = Type.Object(
  {
    ...resultRules,
    okWhen: text(
      "`path=value` that the answer to a write has if the record was written, or `path=value|value` for several values.",
    ),
  },
  {
    description:
      "For providers whose success may hold the refusal of a record. Default for `message` and `code`: those of `errors`.",
  },
);

export type ResultRules = Partial<Static<typeof Written>>;
