/** Leads from `/` and `/projects/_/…` to the project that was used last. */
import { useEffect, type JSX } from "react";
import { Outlet, useParams, useRouter, useRouterState } from "@tanstack/react-router";
import { part } from "./frame/page-link.tsx";
import { Page } from "./frame/page.tsx";
import { useShownProject } from "./frame/project.ts";

/** The layout of everything below a project. */
export function ProjectBoundary(): JSX.Element {
  const { project } = useParams({ strict: false });
  return project === "_" ? <ToLastProject /> : <Outlet />;
}

export function ToLastProject(): JSX.Element {
  const project = useShownProject();
  const href = useRouterState({ select: ({ location }) => location.href });
  const { history } = useRouter();
  useEffect(() => {
    // Once the address has changed, this component is about to go away.
    const rest = href === "/" ? "" : afterUnderscore(href);
    if (project && rest !== undefined) history.replace(`/projects/${part(project.name)}${rest}`);
  }, [project, href, history]);
  return <Page title="Busbar">{null}</Page>;
}

const afterUnderscore = (href: string): string | undefined => /^\/projects\/_(?=[/?]|$)(.*)$/.exec(href)?.[1];
