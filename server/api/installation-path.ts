/** Paths to what is listed under an installation and stays when the installation has gone. */
import { Type, type Static } from "typebox";
import { Problem } from "../ground/errors.ts";
import { isUuid } from "../ground/ids.ts";
import { InstallationId, IntegrationIdOrName } from "./members.ts";

export const InstallationPath = Type.Object({
  integrationId: IntegrationIdOrName,
  installationId: InstallationId,
});

/** Throws a `not-found` Problem for an id that no installation ever had. */
export function installationIdOf({ installationId }: Static<typeof InstallationPath>): string {
  if (isUuid(installationId)) return installationId;
  throw new Problem("not-found", { detail: `There is no installation \`${installationId}\`.` });
}
