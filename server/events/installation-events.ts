/** Builds the events about installations. `config` is the whole content of the configuration. */
import type { HealthReasonFields, InstallationFields } from "./event-data.ts";
import type { NewEvent } from "./event-types.ts";

export const installationCreated = (fields: InstallationFields, config: object): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.created",
  data: { ...fields, config },
});

export const installationUpdated = (
  fields: InstallationFields,
  config: object,
  lastConfig: object,
): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.updated",
  data: { ...fields, config, lastConfig },
});

export const installationDeleted = (fields: InstallationFields, config: object): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.deleted",
  data: { ...fields, config },
});

/** Without reasons it is healthy again. */
export const installationHealthChanged = (
  fields: InstallationFields,
  healthReasons: HealthReasonFields[],
): NewEvent => ({
  projectId: fields.projectId,
  type: "installation.health.changed",
  data: { ...fields, healthStatus: healthReasons.length > 0 ? "unhealthy" : "healthy", healthReasons },
});
