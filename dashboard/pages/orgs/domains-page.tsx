/** The e-mail domains whose people may join the organisation. */
import { useState, type FormEvent, type JSX } from "react";
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../api.gen.ts";
import { findIssue, useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/account/role.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";

export function DomainsPage(): JSX.Element {
  const { org: orgId = "" } = useParams({ strict: false });
  const reason = useReason("owner");
  const [domain, setDomain] = useState("");
  const claim = useChange("claimDomain", { forget: ["listOrgClaimedDomains"] });
  const unclaim = useChange("unclaimDomain", { forget: ["listOrgClaimedDomains"] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { domain, parentType: "org" as const, parentId: orgId };
    claim.mutate({ body }, { onSuccess: () => setDomain("") });
  };
  return (
    <Page
      title="Domains"
      about="People with a verified address in a claimed domain join without an invitation, as editors."
    >
      <form onSubmit={submit}>
        <Group align="flex-end" mb="md">
          <TextInput
            label="Domain"
            placeholder="example.com"
            value={domain}
            onChange={(event) => setDomain(event.currentTarget.value)}
            error={findIssue(claim.error, "domain")}
            disabled={reason !== undefined}
            required
          />
          <Button type="submit" disabled={reason !== undefined} loading={claim.isPending}>
            Claim
          </Button>
          {reason && (
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          )}
        </Group>
      </form>
      <ProblemView error={claim.error ?? unclaim.error} />
      <AnswerTable
        name="Domains"
        operationId="listOrgClaimedDomains"
        input={{ orgId }}
        columns={buildColumns(reason === undefined, (given) => unclaim.mutate({ orgId, domain: given }))}
        getId={({ id }) => id}
        empty={<EmptyState title="No domains">Nobody joins without an invitation.</EmptyState>}
      />
    </Page>
  );
}

const buildColumns = (
  mayChange: boolean,
  onGiveUp: (domain: string) => void,
): Column<Schemas["ClaimedDomain"]>[] => [
  { head: "Domain", cell: (row) => <span className="foreign">{row.domain}</span>, grows: true, line: 1 },
  {
    head: "Actions",
    line: 2,
    cell: (row) => (
      <Button size="compact-sm" variant="default" disabled={!mayChange} onClick={() => onGiveUp(row.domain)}>
        Give up
      </Button>
    ),
  },
];
