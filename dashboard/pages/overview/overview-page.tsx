/** The start page of a project: first steps, what needs attention, and the activity of a period. */
import { type JSX, useState } from "react";
import { Button, SimpleGrid, Text } from "@mantine/core";
import { ActivityGraph } from "../../frame/data/activity-graph.tsx";
import { useWindow } from "../../frame/data/activity-window.tsx";
import { Page } from "../../frame/page.tsx";
import { Attention, EventsNowhere } from "./attention.tsx";
import { POLL_MS, useCall } from "../../api/queries.ts";
import { ProjectLink } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import classes from "./first-steps.module.css";

export function OverviewPage(): JSX.Element {
  const { period, control } = useWindow();
  return (
    <Page title="Overview" actions={control}>
      <Attention since={period.since} />
      <FirstSteps />
      <EventsNowhere since={period.since} />
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md" verticalSpacing={0}>
        <ActivityGraph
          name="Operations"
          of="operations"
          period={period}
          to="/operations"
          failed="status=failure"
        />
        <ActivityGraph name="Deliveries" of="deliveries" period={period} />
        <ActivityGraph name="Attempts" of="attempts" period={period} />
        <ActivityGraph name="Records" of="records" period={period} />
        <ActivityGraph name="Proxy calls" of="proxyCalls" period={period} to="/proxy-calls" />
      </SimpleGrid>
    </Page>
  );
}

/** Shows the six steps to the first integration; each is ticked when the API lists what it creates. */
function FirstSteps(): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const [isHidden, setHidden] = useState(false);
  const all = { projectIdOrName };
  const one = { projectIdOrName, pageSize: 1 };
  const apps = useCall("listProviderApps", all, UNTIL_DONE).data;
  const integrations = useCall("listIntegrations", all, UNTIL_DONE).data;
  const connections = useCall("listProjectConnections", one, UNTIL_DONE).data;
  const operations = useCall("listProjectOperations", one, UNTIL_DONE).data;
  const destinations = useCall("listDestinations", all, UNTIL_DONE).data;
  if (!apps || !integrations || !connections || !operations || !destinations) return null;
  const steps = [
    { done: apps.length > 0, to: "/provider-apps", words: "Register your OAuth client with the provider" },
    { done: integrations.length > 0, to: "/deploy", words: "Write a manifest from the template" },
    { done: integrations.length > 0, to: "/deploy", words: "Deploy it" },
    { done: connections.results.length > 0, to: "/customers", words: "Connect a customer" },
    { done: operations.results.length > 0, to: "/playground", words: "Write a record in the playground" },
    { done: destinations.length > 0, to: "/destinations", words: "Receive events at a webhook" },
  ];
  const isDone = steps.every(({ done }) => done);
  if (!isDone) begun.add(projectIdOrName);
  if (isHidden || !begun.has(projectIdOrName)) return null;
  const hide = () => {
    begun.delete(projectIdOrName);
    setHidden(true);
  };
  return (
    <Section
      title="First steps"
      actions={
        isDone && (
          <Button size="compact-sm" variant="default" onClick={hide}>
            Hide
          </Button>
        )
      }
    >
      {isDone && <Text size="sm">All six steps are done.</Text>}
      <ol className={classes["steps"]}>
        {steps.map(({ done, to, words }) => (
          <li key={words}>
            <ProjectLink to={to}>{words}</ProjectLink>
            {done && <Status status="success">done</Status>}
          </li>
        ))}
      </ol>
    </Section>
  );
}

type Found = readonly unknown[] | { results: readonly unknown[] };

/** A step stays done, so that only the others are asked for again. */
const UNTIL_DONE = {
  everyMs: (found: Found | undefined) =>
    found && ("results" in found ? found.results : found).length > 0 ? (false as const) : POLL_MS.overview,
};

const KEY = "busbar-first-steps";

/** Projects whose steps this tab has shown unfinished. Their list stays visible, so that the last tick is seen. */
const begun = {
  has: (project: string): boolean => read().includes(project),
  add(project: string): void {
    if (!read().includes(project)) write([...read(), project]);
  },
  delete: (project: string): void => write(read().filter((one) => one !== project)),
};

const read = (): string[] => (sessionStorage.getItem(KEY) ?? "").split(" ").filter(Boolean);
const write = (projects: readonly string[]): void => sessionStorage.setItem(KEY, projects.join(" "));
