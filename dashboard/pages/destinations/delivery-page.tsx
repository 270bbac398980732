/** One delivery: each attempt with the request as it was sent and the answer, and the data of its event. */
import type { JSX } from "react";
import { useParams } from "@tanstack/react-router";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { part, ProjectLink } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { JsonView } from "../../ui/json-view.tsx";
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
      above={<ProjectLink to={`/destinations/${part(destination)}`}>{destination}</ProjectLink>}
      mark={data && <Status status={data.status} />}
      actions={<ActionButton {...button}>Resend</ActionButton>}
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      <ProblemView error={resend.error} onRetry={() => resend.mutate(input)} />
      {data && (
        <Section>
          <Facts
            facts={{
              Message: <IdText id={data.id} />,
              Type: data.eventType,
              Customer: data.groupRef && (
                <ProjectLink to={`/customers/${part(data.groupRef)}`}>{data.groupRef}</ProjectLink>
              ),
              Integration: data.integration,
              Object: data.object,
              Records: data.records,
              "Time of the event": <TimeAgo time={data.eventTime} focusable />,
              "Next attempt": data.nextAttemptTime && <TimeAgo time={data.nextAttemptTime} focusable />,
            }}
          />
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
