/** An editor for YAML or JSON; CodeMirror is loaded when the first one is drawn. */
import { lazy, Suspense, type JSX } from "react";
import { Skeleton } from "@mantine/core";
import type { CodeEditorProps } from "./code-mirror.tsx";

export type { CodeEditorProps, EditorFinding } from "./code-mirror.tsx";

const CodeMirror = lazy(() => import("./code-mirror.tsx"));

export const CodeEditor = (props: CodeEditorProps): JSX.Element => (
  <Suspense fallback={<Skeleton height={props.height ?? 420} />}>
    <CodeMirror {...props} />
  </Suspense>
);
