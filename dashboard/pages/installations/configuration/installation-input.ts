/** The path parameters of calls about one installation. */
export interface InstallationInput {
  projectIdOrName: string;
  integrationId: string;
  installationId: string;
}
