/** One delivery: each attempt with the request as it was sent and the answer, and the data of its event. */
import type { JSX } from "react";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../api.gen.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock, JsonView } from "../../ui/code/code-block.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

export function DeliveryPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { name: destination = "", id: deliveryId = "" } = useParams({ strict: false });
  const input = { projectIdOrName, destination, deliveryId };
  const { data, error, refetch } = useCall("getDelivery", input, { everyMs: POLL_MS.list });
  const resend = useChange("resendDelivery", { forget: ["getDelivery", "listDeliveries"] });
  const button = {
    "data-shortcut": "r",
    reason: useReason("support"),
    onClick: () => resend.mutate(input),
    loading: resend.isPending,
  };
  return (
    <Page
      title={`Delivery ${deliveryId}`}
      above={<ProjectLink to={`/destinations/${encodePart(destination)}`}>{destination}</ProjectLink>}
      mark={data && <Status status={data.status} />}
      actions={<ActionButton {...button}>Resend</ActionButton>}
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      <ProblemView error={resend.error} onRetry={() => resend.mutate(input)} />
      {data && (
        <Section>
          <DeliveryFacts delivery={data} />
        </Section>
      )}
      {data?.attempts
        .map((attempt, index) => ({ ...attempt, number: index + 1 }))
        .toReversed()
        .map(({ number, time, durationMs, status, error: failure, answer, request }) => (
          <Section key={`${number} ${time}`} title={`Attempt ${number}`}>
            <Facts
              facts={{
                Time: <TimeAgo time={time} focusable />,
                Duration: `${durationMs} ms`,
                Status: status,
                Error: failure,
              }}
            />
            {request && (
              <CodeBlock
                name={`Request of attempt ${number}`}
                wraps
                text={[
                  `${request.method} ${request.url}`,
                  ...Object.entries(request.headers).map(([header, value]) => `${header}: ${value}`),
                  "",
                  request.body,
                ].join("\n")}
              />
            )}
            {answer && <CodeBlock name={`Answer to attempt ${number}`} wraps text={answer} />}
          </Section>
        ))}
      {data && (
        <Section title="Data">
          <JsonView name="Data" value={data.data} />
        </Section>
      )}
    </Page>
  );
}

const DeliveryFacts = ({ delivery }: { delivery: Schemas["DeliveryWithData"] }): JSX.Element => (
  <Facts
    facts={{
      Message: <IdText id={delivery.id} />,
      Type: delivery.eventType,
      Customer: delivery.groupRef && (
        <ProjectLink to={`/customers/${encodePart(delivery.groupRef)}`}>{delivery.groupRef}</ProjectLink>
      ),
      Integration: delivery.integration,
      Object: delivery.object,
      Records: delivery.records,
      "Time of the event": <TimeAgo time={delivery.eventTime} focusable />,
      "Next attempt": delivery.nextAttemptTime && <TimeAgo time={delivery.nextAttemptTime} focusable />,
    }}
  />
);
