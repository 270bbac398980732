/** Subscribes to changes in Salesforce by Change Data Capture: entry point for subscriptions. */
import type { SubscribeConnector } from "../../connector-kit/subscribe-connector.ts";
import { parseCreateTime, isListed, polledEvent, readEvent, sampleEvent } from "./change-event.ts";
import { findOrganization } from "./event-channel.ts";

export const subscribe: SubscribeConnector = {
  module: "crm",
  reportsAssociations: false,
  objectKey: (objectName) => objectName.toLowerCase(),
  findObjectKey: async (objectName) => objectName.toLowerCase(),
  findAccountRef: findOrganization,
  readEvent,
  isListed,
  createTimeField: "CreatedDate",
  readCreateTime: ({ raw }) => parseCreateTime(raw.CreatedDate),
  polledEvent,
  sampleEvent,
};
