/** Leads from `/` and `/projects/_/…` to the project that was used last. */
import { useEffect, type JSX } from "react";
import { Outlet, useParams, useRouter, useRouterState } from "@tanstack/react-router";
import { useCall } from "./api/queries.ts";
import { PageLink, encodePart } from "./frame/page-link.tsx";
import { Page } from "./frame/page.tsx";
import { useShownProject } from "./frame/project.ts";
import { EmptyState } from "./ui/empty-state.tsx";
import { isolateName } from "./ui/isolated.ts";
import { Section } from "./ui/section.tsx";

/** The layout of everything below a project. */
export function ProjectBoundary(): JSX.Element {
  const { project } = useParams({ strict: false });
  const projects = useCall("listProjects", {}).data;
  if (project === "_") return <RedirectToLastProject />;
  const isUnknown = projects?.every(({ id, name }) => id !== project && name !== project) ?? false;
  return isUnknown ? <NoProject name={project ?? ""} /> : <Outlet />;
}

const NoProject = ({ name }: { name: string }): JSX.Element => (
  <Page title="Not found">
    <Section>
      <EmptyState
        title={`There is no project ${isolateName(name)}`}
        action={<PageLink to="/">To the last project</PageLink>}
      >
        It may have another name now, or belong to an organisation that you are not in.
      </EmptyState>
    </Section>
  </Page>
);

export function RedirectToLastProject(): JSX.Element {
  const project = useShownProject();
  const href = useRouterState({ select: ({ location }) => location.href });
  const { history } = useRouter();
  useEffect(() => {
    // Once the address has changed, this component is about to go away.
    const rest = href === "/" ? "" : cutAfterUnderscore(href);
    if (project && rest !== undefined) history.replace(`/projects/${encodePart(project.name)}${rest}`);
  }, [project, href, history]);
  return <Page title="Busbar">{null}</Page>;
}

const cutAfterUnderscore = (href: string): string | undefined =>
  /^\/projects\/_(?=[/?]|$)(.*)$/.exec(href)?.[1];
