/** Links to pages of the dashboard, by their address. */
import type { JSX, ReactNode } from "react";
import { Anchor, Button } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useProjectName } from "./project.ts";

interface PageLinkProps {
  /** An address: `/orgs/…?actor=…`; of a project, use `ProjectLink`. */
  to: string;
  children: ReactNode;
  className?: string;
}

/** Leads to any page. */
export const PageLink = ({ to, children, className = "foreign" }: PageLinkProps): JSX.Element => (
  <Anchor component={Link} {...toLinkTarget(to)} size="sm" className={className}>
    {children}
  </Anchor>
);

/** Leads to a page of the same project: `/operations/{id}`. Encode names with `encodePart`. */
export function ProjectLink({ to, children, className }: PageLinkProps): JSX.Element {
  const project = useProjectName();
  return (
    <PageLink to={toProjectPath(project, to)} className={className}>
      {children}
    </PageLink>
  );
}

/** Leads to a page of the same project as the next action of a list without rows. */
export function ProjectButton({ to, children }: Omit<PageLinkProps, "className">): JSX.Element {
  const project = useProjectName();
  return (
    <Button component={Link} {...toLinkTarget(toProjectPath(project, to))} variant="default">
      {children}
    </Button>
  );
}

/** Leads to the same page with another filter, such as the row that is opened over its list. */
export const FilterLink = ({
  filter,
  children,
}: {
  filter: Readonly<Record<string, string>>;
  children: ReactNode;
}): JSX.Element => (
  <Anchor
    component={Link}
    to="."
    // The router's types know no filters of an address that is relative.
    search={((before: object) => ({ ...before, ...filter })) as never}
    resetScroll={false}
    size="sm"
    className="foreign"
  >
    {children}
  </Anchor>
);

/** Returns a function that opens a page of the same project, for what follows an action; it asks nothing before it leaves. */
export function useOpenInProject(): (to: string) => void {
  const project = useProjectName();
  const navigate = useNavigate();
  return (to) => void navigate({ ...toLinkTarget(toProjectPath(project, to)), ignoreBlocker: true });
}

/** Separates the filters of an address from its path, as the router wants them. */
export function toLinkTarget(address: string): { to: string; search: never } {
  const [to = "", query = ""] = address.split("?");
  const search = (): Record<string, string> => Object.fromEntries(new URLSearchParams(query));
  // The router's types take filters only with a route that they know; an address of text has none.
  return { to, search: search as never };
}

/** Returns the address of an installation within its project; `integration` is an id or a name. */
export const toInstallationPath = (integration: string, installationId: string): string =>
  `/integrations/${encodePart(integration)}/installations/${encodePart(installationId)}`;

/** Returns the address of a record's trace within its project. */
export const toRecordPath = (
  { integrationId, installationId }: { integrationId: string; installationId: string },
  objectName: string,
  recordId: string,
): string =>
  `${toInstallationPath(integrationId, installationId)}/records/${encodePart(objectName)}/${encodePart(recordId)}`;

export const toProjectPath = (project: string, to: string): string => `/projects/${encodePart(project)}${to}`;

/** Encodes a part of an address: names may contain slashes and spaces. */
export const encodePart = (name: string): string => encodeURIComponent(name);

/** A link to another site; only https, because such addresses come from others. */
export const OutLink = ({ href, children }: { href: string; children: ReactNode }): JSX.Element =>
  href.startsWith("https://") || href.startsWith(`${location.origin}/`) ? (
    <Anchor href={href} target="_blank" rel="noreferrer noopener" size="sm">
      {children}
    </Anchor>
  ) : (
    <span className="foreign">{children}</span>
  );
