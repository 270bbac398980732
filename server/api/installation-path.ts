/** Path of lists below an installation that outlive it, for example its operations. */
import { Type, type Static } from "typebox";
import { Problem } from "../ground/errors.ts";
import { isUuid } from "../ground/ids.ts";
import { InstallationId, IntegrationIdOrName } from "./members.ts";

export const InstallationPath = Type.Object({
  integrationId: IntegrationIdOrName,
  installationId: InstallationId,
});

/** Throws a 404 Problem for a value that cannot be an installation's id. */
export function installationIdOf({ installationId }: Static<typeof InstallationPath>): string {
  if (isUuid(installationId)) return installationId;
  throw new Problem("not-found", { detail: `There is no installation \`${installationId}\`.` });
}
