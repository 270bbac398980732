/** The pages of the navigation: where they are and what they are called. */

interface SitePage {
  /** Below `/projects/{project}`; of an organisation below `/orgs/{org}`; else from the root. */
  path: string;
  title: string;
  /** The page of the guide about it. */
  guide: string;
  /** Second key after `g`. */
  key?: string;
}

export interface SiteGroup {
  title: string;
  below: "project" | "org" | "root";
  pages: readonly SitePage[];
}

export const SITE: readonly SiteGroup[] = [
  // What people open every day; then what they build; then what is set up once.
  {
    title: "Watch",
    below: "project",
    pages: [
      { path: "", title: "Overview", guide: "dashboard" },
      { path: "/customers", title: "Customers", key: "c", guide: "connections" },
      { path: "/trace", title: "Trace a record", key: "t", guide: "reading" },
      { path: "/operations", title: "Operations", key: "o", guide: "writing-records" },
      { path: "/approvals", title: "Approvals", guide: "agents" },
      { path: "/events", title: "Events", guide: "events" },
      { path: "/destinations", title: "Destinations", key: "d", guide: "events" },
      { path: "/connections", title: "Connections", guide: "connections" },
      { path: "/proxy-calls", title: "Proxy calls", guide: "proxy" },
      { path: "/requests", title: "Requests", guide: "errors" },
    ],
  },
  {
    title: "Build",
    below: "project",
    pages: [
      { path: "/integrations", title: "Integrations", guide: "manifest" },
      { path: "/deploy", title: "Deploy", guide: "manifest" },
      { path: "/playground", title: "Playground", guide: "writing-records" },
    ],
  },
  {
    title: "Set up",
    below: "project",
    pages: [
      { path: "/agents", title: "Agents", guide: "agents" },
      { path: "/notifications", title: "Notifications", guide: "events" },
      { path: "/provider-apps", title: "Provider apps", guide: "registering-apps" },
      { path: "/providers", title: "Custom providers", guide: "own-providers" },
      { path: "/api-keys", title: "API keys", guide: "access" },
      { path: "/jwt-keys", title: "JWT keys", guide: "access" },
      { path: "/settings", title: "Settings", guide: "configuration" },
    ],
  },
  {
    title: "Organisation",
    below: "org",
    pages: [
      { path: "/people", title: "People", guide: "access" },
      { path: "/projects", title: "Projects", guide: "access" },
      { path: "/domains", title: "Domains", guide: "access" },
      { path: "/audit", title: "Audit", guide: "access" },
    ],
  },
  {
    title: "Busbar",
    below: "root",
    pages: [
      { path: "/account", title: "Account", guide: "access" },
      { path: "/system", title: "System", guide: "operating" },
    ],
  },
];

/** Returns the route of a page, as the router names it. */
export const toRoute = (below: SiteGroup["below"], path: string): string =>
  ({ project: "/projects/$project", org: "/orgs/$org", root: "" })[below] + path;
