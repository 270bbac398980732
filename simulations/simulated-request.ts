/** Request to a simulated provider, independent of its transport. */
export interface SimulatedRequest {
  method: string;
  /** Path with the query. */
  path: string;
  /** Base URL of the account, for absolute addresses of next pages. */
  baseUrl: string;
  contentType: string;
  /** Headers by lower-case names. */
  headers?: NodeJS.Dict<string | string[]>;
  body: string;
}
