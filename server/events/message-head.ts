/** Builds the members that the messages of reads, subscriptions and schema watches have in common. Pure. */

/** What a message says of the installation and the object. */
export interface MessageFacts {
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
  /** The connection's workspace; undefined or empty if it has none. */
  workspace?: string | undefined;
}

type MessageHead = Omit<MessageFacts, "installationUpdateTime" | "messageName" | "workspace"> & {
  installationUpdateTime: string;
  rawObjectName: string;
  workspace?: string;
};

/** Returns the common members, in the order in which they are sent. */
export const buildMessageHead = (facts: MessageFacts): MessageHead => ({
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
});
