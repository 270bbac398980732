/** One provider of the project's own: what customers see of it, its document to change, and its deletion. */
import { useState, type JSX } from "react";
import { useParams } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/section.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { formatDocument } from "./provider-document.ts";
import { ProviderEditor } from "./provider-editor.tsx";
import { describeAbilities, signInWords } from "./provider-words.ts";

export function ProviderPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { key = "" } = useParams({ strict: false });
  const [deleting, setDeleting] = useState(false);
  const reason = useReason("editor");
  const { data, error, refetch } = useCall("getProjectProvider", { projectIdOrName, provider: key });
  // The typed text is kept when the answer is loaded again.
  const [source, setSource] = useState<string>();
  if (source === undefined && data) setSource(formatDocument(data.document));
  return (
    <Page
      title={key}
      above={<ProjectLink to="/providers">Custom providers</ProjectLink>}
      actions={
        data && (
          <ActionButton variant="default" reason={reason} onClick={() => setDeleting(true)}>
            Delete
          </ActionButton>
        )
      }
    >
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <About own={data} />}
      {data && source !== undefined && <ProviderEditor providerKey={key} source={source} isStored />}
      {deleting && <DeleteProvider providerKey={key} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

interface AboutProps {
  own: Answer<"getProjectProvider">;
}

const About = ({ own: { provider, createTime, updateTime } }: AboutProps): JSX.Element => (
  <Section>
    <Facts
      facts={{
        Name: provider.displayName,
        "Connects with": signInWords(provider),
        Address: <code className="foreign">{provider.baseURL}</code>,
        Can: describeAbilities(provider),
        Created: <TimeAgo time={createTime} focusable />,
        Changed: <TimeAgo time={updateTime} focusable />,
      }}
    />
  </Section>
);

function DeleteProvider({ providerKey, onClose }: { providerKey: string; onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const remove = useChange("deleteProjectProvider", { forget: ["listProjectProviders"] });
  return (
    <ConfirmDelete
      opened
      what={`provider ${providerKey}`}
      busy={remove.isPending}
      problem={<ProblemView error={remove.error} />}
      onDelete={() =>
        remove.mutate({ projectIdOrName, provider: providerKey }, { onSuccess: () => open("/providers") })
      }
      onClose={onClose}
    >
      Possible only while no connection, integration or provider app uses it.
    </ConfirmDelete>
  );
}
