/** The links of the side, in the groups of the site. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import { Link, useRouter } from "@tanstack/react-router";
import { encodePart } from "./page-link.tsx";
import { useShownProject } from "./project.ts";
import { toRoute, SITE, type SiteGroup } from "./site.ts";
import classes from "./navigation.module.css";

export function Navigation({ onFollow }: { onFollow?: () => void }): JSX.Element {
  const pages = useSitePages();
  return (
    <nav aria-label="Main" className={classes["nav"]}>
      {pages.map(({ title, links }) => (
        <div key={title}>
          <Text size="xs" c="dimmed" fw={600} className={classes["group"]} id={`nav-${encodePart(title)}`}>
            {title}
          </Text>
          <ul aria-labelledby={`nav-${encodePart(title)}`}>
            {links.map(({ to, title: word }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={classes["link"]}
                  activeOptions={{ exact: word === "Overview", includeSearch: false }}
                  activeProps={{ "data-active": true }}
                  onClick={onFollow}
                >
                  {word}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

export interface SiteLink {
  to: string;
  title: string;
  key?: string;
}

/** Returns the pages that have a route, with the addresses of the shown project and organisation. */
export function useSitePages(): { title: string; links: SiteLink[] }[] {
  const router = useRouter();
  const project = useShownProject();
  const routes: Record<string, unknown> = router.routesByPath;
  const start = (below: SiteGroup["below"]): string | undefined => {
    if (below === "root") return "";
    if (!project) return below === "project" ? "/projects/_" : undefined;
    return below === "project"
      ? `/projects/${encodePart(project.name)}`
      : `/orgs/${encodePart(project.orgId)}`;
  };
  return SITE.flatMap(({ title, below, pages }) => {
    const from = start(below);
    if (from === undefined) return [];
    const links = pages
      .filter(({ path }) => toRoute(below, path) in routes)
      .map(({ path, title: word, key }) => ({ to: from + path, title: word, key }));
    return links.length > 0 ? [{ title, links }] : [];
  });
}
