/** What the customer chooses for an integration, with the fields of their account: the draft, and how it is stored. */
import type { HydratedRevision, Installation } from "@busbar/client";
import { useState } from "react";
import { useAnswer, useBusbar } from "./busbar-provider.js";
import { buildContent, listMissing, readDraft, type MappingDraft, type ReadChoice } from "./mapping-draft.js";
import { useConnection } from "./use-connection.js";
import { useInstallation } from "./use-installation.js";

export interface FieldMappingState {
  /** The integration, joined with the objects and fields of the account. Undefined until the customer is connected. */
  revision?: HydratedRevision;
  installation?: Installation;
  draft?: MappingDraft;
  /** Labels of required mappings that lack a field. */
  missing: string[];
  isConnected: boolean;
  isChanged: boolean;
  isLoading: boolean;
  error?: unknown;
  /** Changes what is read of an object. */
  changeRead: (objectName: string, change: Partial<ReadChoice>) => void;
  /** Changes whether the application may write an object. */
  changeWrite: (objectName: string, isChosen: boolean) => void;
  reset: () => void;
  /** Installs, or changes the installation. */
  save: () => Promise<Installation>;
  refresh: () => Promise<void>;
}

/** `integrationName`: id or name of the integration. */
export function useFieldMapping(integrationName: string): FieldMappingState {
  const { client } = useBusbar();
  const state = useInstallation(integrationName);
  const { integration, installation } = state;
  const { connection, ...connecting } = useConnection(integration?.provider);
  const revisionId = integration?.latestRevision.id ?? "";
  const connectionId = connection?.status === "bad_credentials" ? undefined : connection?.id;
  const hydrated = useAnswer(
    connectionId && revisionId ? `revision/${integrationName}/${revisionId}/${connectionId}` : undefined,
    () =>
      client.getHydratedRevision({
        integrationId: integrationName,
        revisionId,
        connectionId: connectionId ?? "",
      }),
  );
  const [edits, setEdits] = useState<MappingDraft>();
  const revision = hydrated.value;
  const stored = installation?.config.content;
  const draft = edits ?? (revision && !state.isLoading ? readDraft(revision.content, stored) : undefined);
  const isKnown = !state.isLoading && !connecting.isLoading;
  return {
    ...(revision && { revision }),
    ...(installation && { installation }),
    ...(draft && { draft }),
    missing: revision && draft ? listMissing(revision.content, draft) : [],
    isConnected: connection !== undefined,
    isChanged: edits !== undefined,
    isLoading: !isKnown || (connectionId !== undefined && hydrated.isLoading),
    error: state.error ?? connecting.error ?? hydrated.error,
    changeRead(objectName, change) {
      const before = draft?.read[objectName];
      if (!draft || !before) return;
      setEdits({ ...draft, read: { ...draft.read, [objectName]: { ...before, ...change } } });
    },
    changeWrite(objectName, isChosen) {
      if (draft) setEdits({ ...draft, write: { ...draft.write, [objectName]: isChosen } });
    },
    reset: () => setEdits(undefined),
    async save() {
      if (!integration || !draft) throw new Error("The fields of the account are not known yet.");
      const content = buildContent(integration.latestRevision.content, draft, stored);
      const saved = installation
        ? await state.update({ updateMask: ["config.content"], installation: { config: { content } } })
        : await state.install(content);
      setEdits(undefined);
      return saved;
    },
    refresh: state.refresh,
  };
}
