/** A JSON value, indented. */
import type { JSX } from "react";
import { CodeBlock } from "./code-block.tsx";

export const JsonView = ({ value, name }: { value: unknown; name: string }): JSX.Element => (
  <CodeBlock name={name} text={JSON.stringify(value, undefined, 2) ?? ""} />
);
