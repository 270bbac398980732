/** Defines a tool of an agent endpoint: its schemas, its callers and its results. */
import { Type, type Static, type TObject, type TSchema } from "typebox";
import type { Problem } from "../../ground/errors.ts";
import type { JsonObject } from "../../ground/json.ts";

/** What a credential may do at a customer's endpoint; the scopes of API keys and of issuers' tokens. */
export const RIGHTS = ["read", "write", "proxy"] as const;
/** `full`: at the endpoint of the project itself. */
export type Right = (typeof RIGHTS)[number] | "full";

/** Hints for clients; nothing is decided by them. */
interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface DefinedTool<Context> {
  name: string;
  title: string;
  /** For the model: when to use it and what it gives. */
  description: string;
  input: TObject;
  /** Schema of `structuredContent` after a success. */
  output: TObject;
  annotations: Annotations;
  /** A credential with one of them may call it; it is not listed for others. */
  rights: readonly Right[];
  /** Describes what became of a refused call, for the tool's result. */
  refusedAs?(refusal: Problem): string;
  /** Returns the result. A failed write is reported in its `status`; every other refusal is thrown as a Problem. */
  run(context: Context, args: unknown): Promise<JsonObject>;
}

/** Declares a tool, so that its arguments have the type of their schema. */
export function defineTool<Context, Input extends TObject>(
  tool: Omit<DefinedTool<Context>, "run" | "input"> & {
    input: Input;
    run(context: Context, args: Static<Input>): Promise<JsonObject>;
  },
): DefinedTool<Context> {
  // The arguments are checked against the schema before `run` is called.
  return tool as unknown as DefinedTool<Context>;
}

export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** Annotations of tools that answer from Busbar's own data, without a call to a provider. */
export const LOOKS_UP: Annotations = { ...READS, openWorldHint: false };

const PROBLEM = Type.Object(
  {
    type: Type.String({ description: "Address of the explanation." }),
    title: Type.String({ description: "Kind of the refusal." }),
    status: Type.Integer({ description: "As an HTTP status." }),
    detail: Type.String({ description: "What happened and what to do." }),
  },
  {
    additionalProperties: true,
    description:
      "Of a refusal: what happened, with the place of each fault in `issues` and when to try again.",
  },
);

/** Returns the schema of every result of a tool: that of a success, or a refusal with its Problem. */
export function describeResult({ output }: Pick<DefinedTool<never>, "output">): JsonObject {
  const { properties, required = [] } = output;
  const members: Record<string, TSchema> = {
    status: Type.String({ description: "Of a refusal: what became of the call." }),
    ...properties,
    problem: PROBLEM,
  };
  const schema = {
    type: "object",
    properties: members,
    anyOf: [{ required }, { required: ["problem"] }],
  };
  // Without the symbols of the library, as it is sent.
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
