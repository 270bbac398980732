/** Leaves out what failed writes tell of objects that are not written any more: no success could ever end it. */
import { listWritableObjects } from "../../manifest/object-fields.ts";
import type { WriteVerdict } from "../store/operations/failing-writes.ts";
import type { InstallationCache } from "./installation-cache.ts";

/** Writes that were queued, or under way, when the object was taken out end later. */
export async function leaveOutUnwritten(
  installations: InstallationCache,
  verdicts: WriteVerdict[],
): Promise<WriteVerdict[]> {
  const ids = new Set(verdicts.flatMap(({ works, installationId }) => (works ? [] : [installationId])));
  if (ids.size === 0) return verdicts;
  const written = new Map<string, Set<string>>();
  for (const id of ids) written.set(id, await listWritten(installations, id));
  return verdicts.filter(
    ({ works, installationId, objectName }) => works || written.get(installationId)?.has(objectName),
  );
}

/** Lists the provider's names of the objects; of an installation that is gone, none. */
async function listWritten(installations: InstallationCache, id: string): Promise<Set<string>> {
  const fields = await installations.findFields(id);
  const installed = fields && (await installations.findById(fields.projectId, id));
  if (!installed) return new Set();
  const { integration, installation } = installed;
  const objects = listWritableObjects(integration.latestRevision.content, installation.config.content);
  return new Set(objects.map(({ objectName }) => objectName));
}
