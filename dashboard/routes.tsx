/** The site map: every address of the dashboard, and the file of its page. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router";
import { ProjectBoundary, RedirectToLastProject } from "./last-project.tsx";
import { NotFound, PageFault } from "./fallback-pages.tsx";
import { SessionBoundary } from "./session-boundary.tsx";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });
const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in", component: SessionBoundary });
const project = createRoute({
  getParentRoute: () => signedIn,
  path: "/projects/$project",
  component: ProjectBoundary,
});

type Load = Parameters<typeof lazyRouteComponent>[0];

/** The router would reload the page itself when a file cannot be loaded, also while the server is away. */
const loadPage = (load: Load, name: string) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (cause) {
      throw new Error("Its files could not be loaded: Busbar does not answer, or was upgraded.", { cause });
    }
  }, name);

/** A page below `/projects/{project}`; `name` is the component that its file exports. */
const routeInProject = (path: string, name: string, load: Load) =>
  createRoute({ getParentRoute: () => project, path, component: loadPage(load, name) });

/** A page outside projects, for signed-in people. */
const routeForPerson = (path: string, name: string, load: Load) =>
  createRoute({ getParentRoute: () => signedIn, path, component: loadPage(load, name) });

const PROJECT_PAGES = [
  routeInProject("/", "OverviewPage", () => import("./pages/overview/overview-page.tsx")),
  routeInProject("/operations", "OperationsPage", () => import("./pages/operations/operations-page.tsx")),
  routeInProject("/operations/$id", "OperationPage", () => import("./pages/operations/operation-page.tsx")),
  routeInProject("/customers", "CustomersPage", () => import("./pages/customers/customers-page.tsx")),
  routeInProject("/customers/$ref", "CustomerPage", () => import("./pages/customers/customer-page.tsx")),
  routeInProject(
    "/integrations/$name/installations/$id",
    "InstallationPage",
    () => import("./pages/installations/installation-page.tsx"),
  ),
  routeInProject(
    "/integrations/$name/installations/$id/records/$object/$record",
    "RecordPage",
    () => import("./pages/installations/record-page.tsx"),
  ),
  routeInProject("/trace", "FindRecordPage", () => import("./pages/installations/find-record-page.tsx")),
  routeInProject("/agents", "AgentPolicyPage", () => import("./pages/agent-policy/agent-policy-page.tsx")),
  routeInProject("/approvals", "ApprovalsPage", () => import("./pages/approvals/approvals-page.tsx")),
  routeInProject("/approvals/$id", "ApprovalPage", () => import("./pages/approvals/approval-page.tsx")),
  routeInProject("/connections", "ConnectionsPage", () => import("./pages/connections/connections-page.tsx")),
  routeInProject(
    "/connections/$id",
    "ConnectionPage",
    () => import("./pages/connections/connection-page.tsx"),
  ),
  routeInProject("/events", "EventsPage", () => import("./pages/events/events-page.tsx")),
  routeInProject(
    "/notifications",
    "NotificationsPage",
    () => import("./pages/notifications/notifications-page.tsx"),
  ),
  routeInProject(
    "/destinations",
    "DestinationsPage",
    () => import("./pages/destinations/destinations-page.tsx"),
  ),
  routeInProject(
    "/destinations/$name",
    "DestinationPage",
    () => import("./pages/destinations/destination-page.tsx"),
  ),
  routeInProject(
    "/destinations/$name/deliveries/$id",
    "DeliveryPage",
    () => import("./pages/destinations/delivery-page.tsx"),
  ),
  routeInProject("/api-keys", "ApiKeysPage", () => import("./pages/api-keys/api-keys-page.tsx")),
  routeInProject(
    "/integrations",
    "IntegrationsPage",
    () => import("./pages/integrations/integrations-page.tsx"),
  ),
  routeInProject(
    "/integrations/$name",
    "IntegrationPage",
    () => import("./pages/integrations/integration-page.tsx"),
  ),
  routeInProject("/deploy", "DeployPage", () => import("./pages/deploy/deploy-page.tsx")),
  routeInProject("/playground", "PlaygroundPage", () => import("./pages/playground/playground-page.tsx")),
  routeInProject("/proxy-calls", "ProxyCallsPage", () => import("./pages/proxy-calls/proxy-calls-page.tsx")),
  routeInProject("/requests", "RequestsPage", () => import("./pages/requests/requests-page.tsx")),
  routeInProject("/settings", "SettingsPage", () => import("./pages/settings/settings-page.tsx")),
  routeInProject("/jwt-keys", "JwtKeysPage", () => import("./pages/jwt-keys/jwt-keys-page.tsx")),
  routeInProject(
    "/provider-apps",
    "ProviderAppsPage",
    () => import("./pages/provider-apps/provider-apps-page.tsx"),
  ),
  routeInProject("/providers", "ProvidersPage", () => import("./pages/providers/providers-page.tsx")),
  routeInProject(
    "/providers/new",
    "NewProviderPage",
    () => import("./pages/providers/new-provider-page.tsx"),
  ),
  routeInProject("/providers/$key", "ProviderPage", () => import("./pages/providers/provider-page.tsx")),
];

const OTHER_PAGES: ReturnType<typeof routeForPerson>[] = [
  routeForPerson("/system", "SystemPage", () => import("./pages/system/system-page.tsx")),
  routeForPerson("/orgs/$org/people", "PeoplePage", () => import("./pages/orgs/people-page.tsx")),
  routeForPerson("/orgs/$org/projects", "ProjectsPage", () => import("./pages/orgs/projects-page.tsx")),
  routeForPerson("/orgs/$org/domains", "DomainsPage", () => import("./pages/orgs/domains-page.tsx")),
  routeForPerson("/orgs/$org/audit", "AuditPage", () => import("./pages/orgs/audit-page.tsx")),
  routeForPerson("/account", "AccountPage", () => import("./pages/account/account-page.tsx")),
];

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: loadPage(() => import("./pages/sign-in/sign-in-page.tsx"), "SignInPage"),
});
const start = createRoute({ getParentRoute: () => signedIn, path: "/", component: RedirectToLastProject });
const unknown = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFound });

/** Every value in an address is text, so that `?status=failure` and `?text=5` stay as they are. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));
const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([start, ...OTHER_PAGES, project.addChildren(PROJECT_PAGES), unknown]),
  ]),
  parseSearch,
  stringifySearch,
  defaultErrorComponent: PageFault,
  defaultPreload: "intent",
  scrollRestoration: true,
});
