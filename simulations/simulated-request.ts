/** A request to a simulated provider, independent of how it arrived. */
export interface SimulatedRequest {
  method: string;
  /** With query. */
  path: string;
  /** Base URL of the account, for absolute addresses of next pages. */
  baseUrl: string;
  contentType: string;
  /** Names in lower case. */
  headers?: NodeJS.Dict<string | string[]>;
  body: string;
}
