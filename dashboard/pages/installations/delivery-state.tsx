/** How the delivery of a message stands, in a row about one of its records. */
import type { JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { part, ProjectLink } from "../../frame/page-link.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

export function DeliveryState({ delivery }: { delivery: Schemas["MessageDelivery"] }): JSX.Element {
  const { destinationName, status, nextAttemptTime, lastAttempt } = delivery;
  const answer = lastAttempt?.status === undefined ? lastAttempt?.error : `answered ${lastAttempt.status}`;
  return (
    <div>
      <ProjectLink to={`/destinations/${part(destinationName)}`}>{destinationName}</ProjectLink>{" "}
      <Status status={status} />
      {answer !== undefined && <span className="foreign">, {answer}</span>}
      {nextAttemptTime !== undefined && (
        <>
          , next attempt <TimeAgo time={nextAttemptTime} />
        </>
      )}
    </div>
  );
}
