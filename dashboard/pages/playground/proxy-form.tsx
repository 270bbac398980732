/** Calls the provider's API as a customer, through the proxy. */
import { useState, type JSX } from "react";
import { Group, NativeSelect, SimpleGrid, Stack, Text, Textarea } from "@mantine/core";
import type { Answer, Input } from "../../api/call.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { AddressText } from "../../frame/address-text.tsx";
import { writeCurl } from "../../frame/data/curl.ts";
import { useDraft } from "../../frame/drafts.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProductionQuestion } from "../../frame/production.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { nowMs } from "../../ui/clock.ts";
import { CodeBlock, JsonView } from "../../ui/code/code-block.tsx";
import { CodeEditor } from "../../ui/code/code-editor.tsx";
import { Section } from "../../ui/section.tsx";
import { formatDuration } from "../../ui/time-words.ts";
import { rememberCall } from "./sent-calls.ts";

type Installation = Answer<"listProjectInstallations">["results"][number];
type Body = Input<"callProvider">["body"];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
/** Methods that have no body, and change nothing. */
const WITHOUT_BODY: readonly string[] = ["GET", "HEAD", "OPTIONS"];

interface ProxyFormProps {
  installation: Installation;
  /** Body of an earlier call. */
  text: string | undefined;
}

export function ProxyForm({ installation, text: earlier }: ProxyFormProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [values, setValues] = useFilters("method", "path");
  const [headers, setHeaders] = useState("");
  const [text, setText] = useState(earlier ?? "");
  const send = useChange("callProvider", { forget: ["listProjectProxyCalls", "listProxyCalls"] });
  const role = useReason("editor");
  const question = useProductionQuestion("Send this call", "Send");
  const method = METHODS.find((one) => one === values.method) ?? "GET";
  const path = values.path ?? "/";
  const isReading = WITHOUT_BODY.includes(method);
  const hasBody = !isReading && text !== "";
  const body: Body = {
    method,
    path,
    ...(headers !== "" && { headers: buildHeaders(headers) }),
    ...(hasBody && { body: text }),
  };
  const input = {
    projectIdOrName,
    integrationId: installation.integrationId,
    installationId: installation.id,
    body,
  };
  useDraft("callProvider", input);
  const submit = () =>
    send.mutate(input, {
      onSettled: (answer) =>
        rememberCall({
          time: new Date(nowMs()).toISOString(),
          words: `${method} ${path}`,
          status: answer && answer.status < 400 ? "success" : "failure",
          to: `/proxy-calls?installationId=${encodePart(installation.id)}`,
          filters: { tab: "proxy", ...getPlace(installation), method, path },
          text,
        }),
    });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="sm">
        <RequestLine values={{ ...values, method, path }} onValues={setValues} />
        <HeaderLines text={headers} onText={setHeaders} />
        {!isReading && (
          <div>
            <Text size="sm" fw={500} mb={4}>
              Body
            </Text>
            <CodeEditor name="Body" language="json" value={text} onChange={setText} height={160} />
          </div>
        )}
        <Group gap="xs" align="flex-start">
          <ActionButton
            reason={role}
            loading={send.isPending}
            onClick={() => (isReading ? submit() : question.ask(submit))}
          >
            Send
          </ActionButton>
        </Group>
        {question.dialog}
        <ProblemView error={send.error} />
        {send.data && <ProxyAnswer answer={send.data} installation={installation} />}
      </Stack>
      <Shell installation={installation} body={body} />
    </SimpleGrid>
  );
}

const HeaderLines = ({ text, onText }: { text: string; onText: (text: string) => void }): JSX.Element => (
  <Textarea
    label="Headers"
    placeholder="Accept: application/json"
    autosize
    minRows={1}
    maxRows={6}
    value={text}
    onChange={({ currentTarget }) => onText(currentTarget.value)}
  />
);

/** Names the customer too, so that it is found among however many installations. */
const getPlace = ({ id, group }: Installation) => ({ installationId: id, groupRef: group.groupRef });

interface RequestLineProps {
  values: { method: string; path: string };
  onValues: (values: { method: string; path: string }) => void;
}

const RequestLine = ({ values, onValues }: RequestLineProps): JSX.Element => (
  <Group align="flex-start" wrap="nowrap">
    <NativeSelect
      label="Method"
      data={METHODS}
      value={values.method}
      onChange={({ currentTarget }) => onValues({ ...values, method: currentTarget.value })}
    />
    <AddressText label="Path" flex={1} first={values.path} onText={(path) => onValues({ ...values, path })} />
  </Group>
);

/** A header a line; lines without a colon are left out. */
function buildHeaders(text: string): Record<string, string> {
  const pairs = text
    .split("\n")
    .map((line) => /^([^:]+):(.*)$/.exec(line))
    .flatMap((found) => (found?.[1] ? [[found[1].trim(), (found[2] ?? "").trim()]] : []));
  return Object.fromEntries(pairs);
}

/** The same call by the proxy itself, as an application sends it. */
function Shell({ installation, body }: { installation: Installation; body: Body }): JSX.Element | null {
  const system = useCall("getSystem", {}, { staysFresh: true }).data;
  if (!system) return null;
  const isJson = body.body !== undefined;
  const curl = writeCurl({
    method: body.method,
    url: system.urls.proxy.replace(/\/$/, "") + body.path,
    headers: {
      "X-Amp-Proxy-Version": "1",
      "X-Amp-Project-Id": installation.projectId,
      "X-Amp-Integration-Name": installation.integrationName,
      "X-Amp-Group-Ref": installation.group.groupRef,
      ...(isJson && { "Content-Type": "application/json" }),
      ...body.headers,
    },
    body: typeof body.body === "string" ? body.body : undefined,
  });
  return (
    <div>
      <Section title="The same in a shell">
        <CodeBlock name="curl" text={curl} wraps />
      </Section>
    </div>
  );
}

interface ProxyAnswerProps {
  answer: Answer<"callProvider">;
  installation: Installation;
}

const ProxyAnswer = ({ answer, installation }: ProxyAnswerProps): JSX.Element => (
  <Section title="Answer" region="Answer">
    <Stack gap="sm">
      <Text size="sm">
        Status {answer.status} in {formatDuration(answer.durationMs)}
        {answer.truncated ? ", cut off at 1 MiB" : ""}.{" "}
        <ProjectLink to={`/proxy-calls?installationId=${encodePart(installation.id)}`}>
          Calls of this installation
        </ProjectLink>
      </Text>
      <CodeBlock name="Body" text={indent(answer.body)} wraps />
      <details>
        <summary className="link">Headers</summary>
        <JsonView name="Headers" value={answer.headers} />
      </details>
    </Stack>
  </Section>
);

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
