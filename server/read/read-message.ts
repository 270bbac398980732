/** Builds the members that all messages of a page have in common. Pure. */
import type { ReadMessageHead } from "../events/read-message-schema.ts";

/** What a run knows about its installation, besides what it reads. */
export interface ReadMessageFacts {
  projectId: string;
  provider: string;
  groupRef: string;
  groupName: string;
  consumerRef: string;
  consumerName: string;
  installationId: string;
  installationUpdateTime: Date;
  messageName: string;
  objectName: string;
  /** Of the connection; undefined or empty where it has none. */
  workspace?: string | undefined;
  operationId: string;
  /** When the provider's page arrived. */
  operationTime: Date;
  readType: ReadMessageHead["readType"];
}

/** Returns the common members, in the order in which they are sent. */
export const readMessageHead = (facts: ReadMessageFacts): ReadMessageHead => ({
  action: "read",
  projectId: facts.projectId,
  provider: facts.provider,
  groupRef: facts.groupRef,
  groupName: facts.groupName,
  consumerRef: facts.consumerRef,
  consumerName: facts.consumerName,
  installationId: facts.installationId,
  installationUpdateTime: facts.installationUpdateTime.toISOString(),
  objectName: facts.messageName,
  rawObjectName: facts.objectName,
  ...(facts.workspace && { workspace: facts.workspace }),
  operationId: facts.operationId,
  operationTime: facts.operationTime.toISOString(),
  readType: facts.readType,
});
