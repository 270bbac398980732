/** The members of each event's `data`, as receivers read them. */

/** Common to everything that tells of an installation. */
export interface InstallationFields {
  projectId: string;
  provider: string;
  integrationId: string;
  integrationName: string;
  installationId: string;
  connectionId: string;
  groupRef: string;
  groupName: string;
  consumerRef: string;
  consumerName: string;
}

/** Common to everything that tells of a connection. */
export interface ConnectionFields {
  projectId: string;
  connectionId: string;
  provider: string;
  groupRef: string;
  consumerRef: string;
  consumerName: string;
}

/** `config` leaves as `configURL` when the message would be too large with it; so does `lastConfig`. */
export interface InstallationData extends InstallationFields {
  config: object;
}

export interface InstallationUpdatedData extends InstallationData {
  lastConfig: object;
}

export interface ReadBackfillDoneData extends InstallationFields {
  objectName: string;
}

export interface ReadSchedulePausedData extends InstallationData {
  error: string;
}

export interface ReadTriggeredDoneData extends InstallationFields {
  objectName: string;
  /** RFC 3339. */
  fromTimestamp?: string;
  untilTimestamp?: string;
}

export interface ReadTriggeredErrorData extends ReadTriggeredDoneData {
  error: string;
}

export interface WriteAsyncDoneData extends InstallationFields {
  objectName: string;
  success: boolean;
  successfulRecordIds: string[];
  errors: string[];
  /** Ours: published schemas do not have it and do not mind it. */
  operationId: string;
}

export interface SubscribeCreateErrorData extends InstallationFields {
  error: string;
}

export interface ConnectionErrorData extends ConnectionFields {
  errors: string[];
  /** The same list under its older name. */
  error: string[];
}

export interface DestinationWebhookDisabledData {
  projectId: string;
  destinationId: string;
  destinationName: string;
  url: string;
}
