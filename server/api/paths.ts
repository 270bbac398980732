/** The paths below which endpoints lie, as the routes of the resources name them. */
export const PROJECT = "/v1/projects/{projectIdOrName}";
export const PROVIDER = `${PROJECT}/providers/{provider}`;
export const DESTINATION = `${PROJECT}/destinations/{destination}`;
export const INTEGRATION = `${PROJECT}/integrations/{integrationId}`;
export const INSTALLATION = `${INTEGRATION}/installations/{installationId}`;
