/** What must be registered at the provider, so that it reports changes. */
import type { JSX } from "react";
import { Button, Stack, Text } from "@mantine/core";
import { useCall } from "../../api/queries.ts";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { saveText } from "../../ui/save-text.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

/** File name that HubSpot's command line expects. */
const FILE = "webhooks-hsmeta.json";

export function SubscribeSetup({ name }: { name: string }): JSX.Element | null {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, integrationId: name };
  const { data, error, refetch } = useCall("getSubscribeSetup", input);
  if (!data) return <ProblemView error={error} onRetry={() => void refetch()} />;
  const { callbackURL, providerCallbackURL, publicAddress, refusedPushes, webhooksConfig } = data;
  if (!webhooksConfig)
    return (
      <Section>
        <EmptyState title="Nothing has to be registered">
          Changes at this provider come by a stream, or are asked for.
        </EmptyState>
      </Section>
    );
  const text = JSON.stringify(webhooksConfig, undefined, 2);
  return (
    <>
      <Section title="Addresses">
        <Facts
          facts={{
            "This integration": <IdText id={callbackURL} label="Copy address" />,
            "All of the provider": <IdText id={providerCallbackURL} label="Copy address of the provider" />,
            Reachable: publicAddress ? (
              <Status status="working">by the provider</Status>
            ) : (
              <Status status="inactive">
                only from here: changes are asked for at intervals until BUSBAR_PUBLIC_URL is https and public
              </Status>
            ),
            ...(refusedPushes && {
              Pushes: (
                <>
                  <Status status="failing">refused</Status> {refusedPushes.detail} Since{" "}
                  <TimeAgo time={refusedPushes.since} />.
                </>
              ),
            }),
          }}
        />
      </Section>
      <Section
        title={FILE}
        actions={
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => saveText(FILE, "application/json", text)}
          >
            Download
          </Button>
        }
      >
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Made from the manifest. Store it in your project at the provider, and upload that. What single
            customers&apos; configurations add must be added by hand.
          </Text>
          <CodeBlock name={FILE} text={text} />
        </Stack>
      </Section>
    </>
  );
}
