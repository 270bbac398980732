/** The links of the side, in the groups of the site. */
import type { JSX } from "react";
import { Text } from "@mantine/core";
import { Link, useRouter, useRouterState } from "@tanstack/react-router";
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
      <GuideLink />
    </nav>
  );
}

/** Leads to what the guide says about the page that is shown. */
function GuideLink(): JSX.Element {
  const shown = useRouterState({ select: ({ location }) => location.pathname });
  const links = useSitePages().flatMap((group) => group.links);
  const [page] = links
    .filter(({ to }) => shown === to || shown.startsWith(`${to}/`))
    .toSorted((one, other) => other.to.length - one.to.length);
  return (
    <a
      href={`/docs/guide/${page?.guide ?? "dashboard"}`}
      target="_blank"
      rel="noopener"
      className={classes["link"]}
    >
      Guide
    </a>
  );
}

interface SiteLink {
  to: string;
  title: string;
  guide: string;
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
      .map(({ path, title: word, guide, key }) => ({ to: from + path, title: word, guide, key }));
    return links.length > 0 ? [{ title, links }] : [];
  });
}
