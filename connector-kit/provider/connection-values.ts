/** Names the values that a connection has of its account. */
import type { ProviderInfo } from "../provider-info.ts";

/** `workspace` is always one: the sign-in or the customer may name it. */
export const listConnectionValues = ({
  metadata,
  oauth2Opts,
  customOpts,
  accountInfo,
}: ProviderInfo): Set<string> =>
  new Set([
    "workspace",
    ...[...(metadata?.input ?? []), ...(metadata?.postAuthentication ?? [])].map(({ name }) => name),
    ...(oauth2Opts?.tokenMetadataFields.otherFields ?? []).map(({ name }) => name),
    ...(oauth2Opts?.callbackFields ?? []).map(({ name }) => name),
    ...(accountInfo?.fields ?? []).map(({ name }) => name),
    ...(customOpts?.connectSteps ?? []).flatMap(({ redirect, request }) =>
      Object.keys((redirect ?? request)?.metadata ?? {}),
    ),
  ]);
