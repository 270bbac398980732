/** Deploys a manifest: begins with a template, the current file of an integration, or an old revision. */
import { useState, type JSX } from "react";
import { NativeSelect } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Answer } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { encodePart, toProjectPath, toLinkTarget } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ManifestEditor } from "./manifest-editor.tsx";
import { getTemplateText, TEMPLATES } from "./manifest-templates.ts";

export function DeployPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const integrations = useCall("listIntegrations", { projectIdOrName });
  const newest = integrations.data?.toSorted((one, other) => getDeployTime(other) - getDeployTime(one))[0];
  // The choice stays when the list changes, so that a deployment does not replace the text.
  const [first, setFirst] = useState<string>();
  if (first === undefined && integrations.data) setFirst(newest?.name ?? "");
  const name = search["template"] ? "" : (search["integration"] ?? first ?? "");
  const current = useRevision(name, "");
  const wanted = useRevision(name, search["revision"] ?? "");
  const template = first === undefined ? undefined : getTemplateText(search["template"] ?? "");
  const source = name === "" ? template : wanted.source;
  const [kept, setKept] = useState(source);
  if (source !== undefined && source !== kept) setKept(source);
  return (
    <Page
      title="Deploy"
      about="One amp.yaml declares integrations of the project. Integrations that it does not name stay unchanged."
      actions={
        integrations.data && (
          <StartFrom
            names={integrations.data.map((one) => one.name)}
            chosen={
              name === ""
                ? `template=${search["template"] ?? TEMPLATES[0].id}`
                : `integration=${encodePart(name)}`
            }
          />
        )
      }
    >
      <ProblemView error={integrations.error ?? wanted.error} />
      {kept !== undefined && (
        <ManifestEditor
          source={kept}
          current={name === "" ? undefined : current.source}
          backTo={search["revision"] ? wanted.number : undefined}
        />
      )}
    </Page>
  );
}

const getDeployTime = ({ latestRevision }: Answer<"listIntegrations">[number]): number =>
  Date.parse(latestRevision.createTime);

interface ShownRevision {
  /** Its file as it was sent. */
  source: string | undefined;
  number: number | undefined;
  error: Error | null;
}

/** Returns a revision of an integration; with an empty id its current one. */
function useRevision(integrationId: string, id: string): ShownRevision {
  const projectIdOrName = useProjectName();
  const isNamed = integrationId !== "";
  const newest = useCall(
    "listRevisions",
    { projectIdOrName, integrationId, pageSize: 1 },
    { enabled: isNamed && id === "" },
  );
  const revisionId = id || (newest.data?.results[0]?.id ?? "");
  const input = { projectIdOrName, integrationId, revisionId };
  const { data, error } = useCall("getRevision", input, { enabled: isNamed && revisionId !== "" });
  return {
    source: isNamed && data ? (data.source ?? asManifest(data)) : undefined,
    number: data?.number,
    error: newest.error ?? error,
  };
}

/** For revisions whose file is not known; JSON is YAML too. */
const asManifest = ({ specVersion, content }: Answer<"getRevision">): string =>
  JSON.stringify({ specVersion, integrations: [content] }, undefined, 2);

/** Each choice is an address, so that a link begins with the same text. */
function StartFrom({ names, chosen }: { names: readonly string[]; chosen: string }): JSX.Element {
  const project = useProjectName();
  const navigate = useNavigate();
  const ofIntegrations = names.map((name) => ({ value: `integration=${encodePart(name)}`, label: name }));
  return (
    <NativeSelect
      label="Start from"
      w={280}
      value={chosen}
      onChange={(event) =>
        void navigate(toLinkTarget(toProjectPath(project, `/deploy?${event.currentTarget.value}`)))
      }
      data={[
        ...(ofIntegrations.length > 0 ? [{ group: "Deployed manifests", items: ofIntegrations }] : []),
        {
          group: "Templates",
          items: TEMPLATES.map(({ id, title }) => ({ value: `template=${id}`, label: title })),
        },
      ]}
    />
  );
}
