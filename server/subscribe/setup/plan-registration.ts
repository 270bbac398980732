/** Collects what an integration needs of the builder's registration at the provider. Pure. */
import type { SubscribedObject } from "../../../connector-kit/subscribe-connector.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { subscribeDefinitions } from "../definition/subscribe-definition.ts";
import { resolveWatchedFields, type WatchNames } from "../definition/watched-fields.ts";

/** Returns the manifest's objects; what single customers' configurations add is not in it. */
export function planRegistration(manifest: ManifestIntegration, watchNames: WatchNames): SubscribedObject[] {
  return subscribeDefinitions({ revisions: [manifest], config: { provider: manifest.provider } }).map(
    (definition) => {
      const { objectName, events, read } = definition;
      const watched = events.update ? resolveWatchedFields(definition, watchNames).names : [];
      // Every field: a provider without a wildcard is asked for those that are read.
      const selected = resolveWatchedFields({ watch: "selected", read }, watchNames).names ?? [];
      return {
        objectName,
        create: events.create,
        delete: events.delete,
        associationChange: events.associationChange,
        other: events.other,
        watchFields: watched ?? selected,
      };
    },
  );
}
