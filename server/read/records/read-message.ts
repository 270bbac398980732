/** Builds the members that all messages of a page have in common. Pure. */
import { messageHead, type MessageFacts } from "../../events/message-head.ts";
import type { ReadMessageHead } from "../../events/read-message-schema.ts";

/** What a run knows about its installation, besides what it reads. */
export interface ReadMessageFacts extends MessageFacts {
  operationId: string;
  /** When the provider's page arrived. */
  operationTime: Date;
  readType: ReadMessageHead["readType"];
}

/** Returns the common members, in the order in which they are sent. */
export const readMessageHead = (facts: ReadMessageFacts): ReadMessageHead => ({
  action: "read",
  ...messageHead(facts),
  operationId: facts.operationId,
  operationTime: facts.operationTime.toISOString(),
  readType: facts.readType,
});
