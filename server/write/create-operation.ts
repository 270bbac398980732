/** Describes the operation of a write that begins now or was accepted for later. */
import type { Actor, NewOperation } from "../store/operations/operations.ts";
import type { WriteTarget } from "./find-target.ts";
import type { WritePlan } from "./plan-write.ts";

export const createOperation = (
  { installation, integration, settings }: WriteTarget,
  plan: WritePlan,
  { id, requestId, actor }: { id: string; requestId: string; actor?: Actor | undefined },
): NewOperation => ({
  id,
  projectId: installation.projectId,
  integrationId: integration.id,
  installationId: installation.id,
  configId: installation.config.id,
  actionType: "write",
  objectName: plan.objectName,
  messageName: settings.mappedName,
  requestId,
  actor,
});
