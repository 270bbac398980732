/** Finds the provider app of a flow: the given one, or the project's first. */
import { toMemberProblem } from "../../../ground/member-problem.ts";
import type { Database } from "../../store/database/database.ts";
import {
  findDefaultProviderApp,
  findProviderApp,
  type ProviderAppRow,
} from "../../store/connections/provider-apps.ts";

/** Throws a 400 Problem if there is none. */
export async function getUsableProviderApp(
  { control }: Database,
  wanted: { projectId: string; provider: string; providerAppId?: string | null },
): Promise<ProviderAppRow> {
  const { projectId, provider, providerAppId } = wanted;
  if (!providerAppId) {
    const app = await findDefaultProviderApp(control, projectId, provider);
    if (app) return app;
    throw toMemberProblem(
      "provider",
      `The project has no provider app for ${provider}. Create one with the client you registered there.`,
    );
  }
  const app = await findProviderApp(control, projectId, providerAppId);
  if (app?.provider === provider) return app;
  throw toMemberProblem(
    "providerAppId",
    `There is no provider app \`${providerAppId}\` for ${provider} in this project.`,
  );
}
