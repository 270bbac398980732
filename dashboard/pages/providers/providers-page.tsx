/** The providers that were added to the project, because the catalog lacks them. */
import type { JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ProviderName } from "../../frame/data/provider-name.tsx";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { describeAbilities, signInWords } from "./provider-words.ts";

type CustomProvider = Schemas["OwnProvider"];

const buildPath = ({ key }: CustomProvider): string => `/providers/${encodePart(key)}`;

const COLUMNS: Column<CustomProvider>[] = [
  { head: "Key", cell: (own) => <ProjectLink to={buildPath(own)}>{own.key}</ProjectLink>, line: 1 },
  {
    head: "Name",
    cell: ({ key, provider }) => <ProviderName provider={key} name={provider.displayName} />,
    line: 1,
  },
  { head: "Connects with", cell: ({ provider }) => signInWords(provider), line: 2 },
  { head: "Can", cell: ({ provider }) => describeAbilities(provider) },
  {
    head: "Address",
    cell: ({ provider }) => <code className="foreign">{provider.baseURL}</code>,
    grows: true,
    line: 2,
  },
  { head: "Changed", cell: ({ createTime, updateTime }) => <TimeAgo time={updateTime ?? createTime} /> },
];

export function ProvidersPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const open = useOpenInProject();
  const reason = useReason("editor");
  const add = () => open("/providers/new");
  return (
    <Page
      title="Custom providers"
      about="Providers that the catalog lacks, for this project alone."
      actions={
        <ActionButton reason={reason} onClick={add}>
          New provider
        </ActionButton>
      }
    >
      <AnswerTable
        name="Custom providers"
        operationId="listProjectProviders"
        input={{ projectIdOrName }}
        columns={COLUMNS}
        getId={({ key }) => key}
        onOpen={(own) => open(buildPath(own))}
        empty={
          <EmptyState
            title="No providers of your own"
            action="Describe a provider"
            reason={reason}
            onAction={add}
          >
            A document says how customers connect to a provider and, if records shall be written and read, how
            its API is called. No release of Busbar is needed.
          </EmptyState>
        }
      />
    </Page>
  );
}
