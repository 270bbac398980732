/** Describes members in the API reference whose schema is a named shape, or a time. */
import { Type, type TSchema } from "typebox";

/** Returns the schema with a description of its own; the API reference shows it beside the `$ref` to the shape. */
export const described = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.With(schema, { description, shownAs: schema });

/** Returns the schema of a time. */
export const describeTime = (description: string) => Type.String({ format: "date-time", description });
