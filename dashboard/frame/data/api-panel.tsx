/** The panel "API": the calls of this page, and what its forms will send, as curl. */
import { useState, type JSX } from "react";
import { Button, Drawer, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { OperationId } from "../../api/call.ts";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { Icon } from "../../ui/icons.tsx";
import { buildCurl } from "./curl.ts";
import { useDrafts, type Draft } from "../drafts.ts";

/** Calls of the frame, which are on every page. */
const OF_FRAME = new Set(["getSession", "getMyInfo", "listProjects", "listSignInWays"]);

export function ApiPanel(): JSX.Element {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        h={28}
        leftSection={<Icon name="code" size={14} />}
        onClick={() => setOpened(true)}
      >
        API
      </Button>
      <Drawer
        opened={opened}
        onClose={() => setOpened(false)}
        title="API calls of this page"
        position="right"
      >
        {opened && <Calls />}
      </Drawer>
    </>
  );
}

function Calls(): JSX.Element {
  const client = useQueryClient();
  const drafts = useDrafts();
  const active = client
    .getQueryCache()
    .findAll({ type: "active" })
    .map(({ queryKey: [operationId, input] }): Draft => ({
      operationId: operationId as OperationId,
      input: (input ?? {}) as Draft["input"],
    }))
    .filter(({ operationId }) => !OF_FRAME.has(operationId));
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        The dashboard has no rights of its own: everything on this page comes from the public API. Put a key
        into the variable <code>BUSBAR_API_KEY</code>.
      </Text>
      {drafts.length > 0 && <List title="The form will send" calls={drafts} />}
      <List title="The page shows" calls={active} />
    </Stack>
  );
}

const List = ({ title, calls }: { title: string; calls: readonly Draft[] }): JSX.Element => (
  <Stack gap="xs">
    <Title order={3}>{title}</Title>
    {calls.length === 0 && <Text size="sm">This page calls nothing.</Text>}
    {calls.map(({ operationId, input }) => (
      <div key={operationId + JSON.stringify(input)}>
        <Text size="xs" c="dimmed" className="mono">
          {operationId}
        </Text>
        <CodeBlock name={`curl ${operationId}`} text={buildCurl(location.origin, operationId, input)} wraps />
      </div>
    ))}
  </Stack>
);
