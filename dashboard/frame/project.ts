/** The project and organisation of the page, and the ones used last. */
import { useEffect } from "react";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../api.gen.ts";
import { useCall } from "../api/queries.ts";

const KEY = "busbar-project";

/** Returns the name of the project used last in this browser; `_` in an address stands for it. */
function readLastProject(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function rememberProject(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Storage is switched off; `_` then leads to the first project.
  }
}

/** Returns the project's name in the address, for `projectIdOrName`. Only below `/projects/{project}`. */
export function useProjectName(): string {
  const { project } = useParams({ strict: false });
  if (!project) throw new Error("this page is not below a project");
  return project;
}

/** Returns the project of the page, or on pages outside projects the one used last; undefined until it is known. */
export function useShownProject(): Schemas["Project"] | undefined {
  const { project } = useParams({ strict: false });
  const name = project === undefined || project === "_" ? readLastProject() : project;
  const projects = useCall("listProjects", {}).data;
  return projects?.find((one) => one.name === name || one.id === name) ?? projects?.[0];
}

/** Remembers the project of the address. */
export function useRememberProject(): void {
  const { project } = useParams({ strict: false });
  useEffect(() => {
    if (project && project !== "_") rememberProject(project);
  }, [project]);
}
