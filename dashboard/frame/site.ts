/** The pages of the navigation: where they are and what they are called. */

export interface SitePage {
  /** Below `/projects/{project}`; of an organisation below `/orgs/{org}`; else from the root. */
  path: string;
  title: string;
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
      { path: "", title: "Overview" },
      { path: "/customers", title: "Customers", key: "c" },
      { path: "/trace", title: "Trace a record", key: "t" },
      { path: "/operations", title: "Operations", key: "o" },
      { path: "/approvals", title: "Approvals" },
      { path: "/events", title: "Events" },
      { path: "/destinations", title: "Destinations", key: "d" },
      { path: "/connections", title: "Connections" },
      { path: "/proxy-calls", title: "Proxy calls" },
      { path: "/requests", title: "Requests" },
    ],
  },
  {
    title: "Build",
    below: "project",
    pages: [
      { path: "/integrations", title: "Integrations" },
      { path: "/deploy", title: "Deploy" },
      { path: "/playground", title: "Playground" },
    ],
  },
  {
    title: "Set up",
    below: "project",
    pages: [
      { path: "/agents", title: "Agents" },
      { path: "/notifications", title: "Notifications" },
      { path: "/provider-apps", title: "Provider apps" },
      { path: "/providers", title: "Custom providers" },
      { path: "/api-keys", title: "API keys" },
      { path: "/jwt-keys", title: "JWT keys" },
      { path: "/settings", title: "Settings" },
    ],
  },
  {
    title: "Organisation",
    below: "org",
    pages: [
      { path: "/people", title: "People" },
      { path: "/projects", title: "Projects" },
      { path: "/domains", title: "Domains" },
      { path: "/audit", title: "Audit" },
    ],
  },
  {
    title: "Busbar",
    below: "root",
    pages: [
      { path: "/account", title: "Account" },
      { path: "/system", title: "System" },
    ],
  },
];

/** The route of a page, as the router names it. */
export const toRoute = (below: SiteGroup["below"], path: string): string =>
  ({ project: "/projects/$project", org: "/orgs/$org", root: "" })[below] + path;
