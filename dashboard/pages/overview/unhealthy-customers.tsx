/** Customers that are not healthy for reasons that no other section of the overview names, and a missing worker. */
import type { JSX } from "react";
import type { Answer } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { HEALTH_WORDS } from "../../frame/data/health-reasons.tsx";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { useProjectName } from "../../frame/project.ts";
import { isolateName } from "../../ui/isolated.ts";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { Lines, SOON } from "./attention-lines.tsx";

type Customer = Answer<"listGroups">["results"][number];
type Reason = Customer["healthReasons"][number];

export function UnhealthyCustomers(): JSX.Element {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, healthStatus: "unhealthy" as const, pageSize: 50 };
  const call = useCall("listGroups", input, SOON);
  const destinations = useCall("listDestinations", { projectIdOrName }, SOON);
  const known = new Set((destinations.data ?? []).map(({ name }) => name));
  const refusedInput = { projectIdOrName, status: "bad_credentials" as const, pageSize: 50 };
  const refused = useCall("listProjectConnections", refusedInput, SOON);
  const pairKey = (groupRef: string, provider: string): string => JSON.stringify([groupRef, provider]);
  const reconnecting = new Set(
    (refused.data?.results ?? []).map(({ group, provider }) => pairKey(group.groupRef, provider)),
  );
  const isNamedElsewhere = ({ type, name }: Reason, groupRef: string): boolean =>
    type === "worker" ||
    (type === "connection" && reconnecting.has(pairKey(groupRef, name))) ||
    (type === "destination" && known.has(name));
  const customers = call.data?.results ?? [];
  const lines = customers.flatMap((customer) => {
    const [first, ...more] = customer.healthReasons.filter(
      (reason) => !isNamedElsewhere(reason, customer.groupRef),
    );
    return first ? [toLine(customer, first, more.length)] : [];
  });
  return (
    <>
      <MissingWorker reasons={customers.flatMap(({ healthReasons }) => healthReasons)} />
      <Lines
        title="Customers that are not healthy"
        call={call}
        lines={lines}
        isCut={call.data?.pagination.done === false}
        more={<ProjectLink to="/customers?healthStatus=unhealthy">All</ProjectLink>}
      />
    </>
  );
}

const toLine = (
  { groupRef, groupName, healthStatus }: Customer,
  { type, name, since }: Reason,
  more: number,
) => ({
  key: groupRef,
  status: <Status status={healthStatus ?? "unhealthy"} />,
  words: (
    <ProjectLink to={`/customers/${encodePart(groupRef)}`}>
      {`${isolateName(groupName || groupRef)} · ${HEALTH_WORDS[type] ?? type} ${isolateName(name)}${more > 0 ? `, and ${more} more` : ""}`}
    </ProjectLink>
  ),
  more: <TimeAgo time={since} />,
});

/** Shows the reason that applies to every customer once, above the list. */
function MissingWorker({ reasons }: { reasons: Reason[] }): JSX.Element | null {
  const missing = reasons
    .filter(({ type }) => type === "worker")
    .toSorted((one, other) => one.since.localeCompare(other.since))[0];
  if (!missing) return null;
  const line = {
    key: "worker",
    status: <Status status="unhealthy" />,
    words: missing.detail,
    more: <TimeAgo time={missing.since} />,
  };
  return (
    <Lines title="No background work" call={{ data: true, error: null, refetch: () => {} }} lines={[line]} />
  );
}
