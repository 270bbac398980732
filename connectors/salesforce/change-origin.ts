/**
 * Names an operation as the client of a call, and finds it again in change events: their `changeOrigin` is
 * `com/salesforce/api/<API>/<version>;client=<client>` (Change Data Capture Developer Guide, Change Event Header Fields).
 */

const PREFIX = "busbar/";

export const readClient = (operationId: string): string => `${PREFIX}${operationId}`;

/** Returns the id of the operation; undefined if the change has another origin. */
export const findOperationId = (changeOrigin: string): string | undefined =>
  /;client=busbar\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(changeOrigin)?.[1];

/** Returns whether it is certainly no call of ours: not by the REST API, or by another client. Collections of records name no client. */
export const isOfAnother = (changeOrigin: unknown): boolean =>
  typeof changeOrigin === "string" && !/^(com\/salesforce\/api\/rest\/[^;]*)?$/.test(changeOrigin);
