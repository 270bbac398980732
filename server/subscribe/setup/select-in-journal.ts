/** Selects an object's changes for the journal of a provider app, and returns whether Busbar reads this journal. */
import { isDeepStrictEqual } from "node:util";
import type { JournalConnector } from "../../../connector-kit/journal-connector.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { AppCalls } from "../../calls/app-calls.ts";
import { toJournalKey, putEventStream } from "../../store/subscriptions/event-streams.ts";
import { findProviderApp } from "../../store/connections/provider-apps.ts";
import { listJournalFilters } from "../../store/subscriptions/shared-journals.ts";
import type { ClaimedSubscription } from "../../store/subscriptions/subscriptions.ts";
import { mergeFilters } from "../definition/journal-filter.ts";
import { hasStreamOpened, type SelectedObject } from "./select-object.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";

interface JournalSelecting {
  journal: JournalConnector;
  accountRef: string;
  objectKey: string;
  /** Requests the names of all fields of the object from the provider. */
  listFields(): Promise<string[]>;
}

const MAX_ROUNDS = 5;

/**
 * Selects nothing before Busbar has a position in the journal, so that the position precedes every reported change. Throws
 * `ProviderError`; `forbidden` if the provider gives the app no token. Throws a 503 Problem while a shard is away, whose customers may
 * have selected more of the same account.
 */
export async function selectInJournal(
  deps: SubscribeServices & { appCalls: AppCalls },
  { projectId, provider, journalAppId }: Pick<ClaimedSubscription, "projectId" | "provider" | "journalAppId">,
  { journal, accountRef, objectKey, listFields }: JournalSelecting,
): Promise<SelectedObject> {
  const { data } = deps.database;
  const app = await findProviderApp(data, projectId, journalAppId ?? "");
  if (!app) throw new ProviderError({ kind: "forbidden", message: "The provider app was deleted." });
  const calls = await deps.appCalls.find({ projectId, providerAppId: app.id }, (scopes) =>
    journal.tokenScopes(scopes),
  );
  await calls.authorize();
  const put = (selected: string[]) =>
    putEventStream(data, {
      providerAppId: app.id,
      projectId,
      provider,
      ref: "",
      topic: "",
      // Another client of the same app has another journal.
      accountRef: app.clientId,
      selected,
    });
  // Stored before the object is selected: if another project deselects it at the same time, it removes this entry, and the
  // object is selected again.
  if (!hasStreamOpened(await put([toJournalKey(accountRef, objectKey)])))
    return { isOpen: false, warnings: [] };
  const shared = { provider, accountRef: app.clientId };
  const listFilters = async () =>
    mergeFilters(await listJournalFilters(deps.database, shared, { accountRef, objectKey }));
  let filters = await listFilters();
  for (let rounds = 1; ; rounds++) {
    const { fields, ...events } = filters;
    const names = fields === "all" ? await listFields() : fields;
    await journal.select({ accountRef, objectKey, ...events, fields: names }, calls.fetch);
    // This may have replaced what another project selected at the same time.
    const selected = filters;
    filters = await listFilters();
    if (isDeepStrictEqual(filters, selected) || rounds === MAX_ROUNDS) break;
  }
  return { isOpen: hasStreamOpened(await put([])), warnings: [] };
}
