/** Requests metadata of a connected account from the provider, if the catalog says how. */
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { buildAuthorization, CredentialsError } from "../../../connector-kit/provider/authorization.ts";
import { authorizeRequest } from "../../../connector-kit/provider/authorize-request.ts";
import { parseExactly } from "../../../connector-kit/calls/exact-json.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import {
  fillTemplate,
  listPlaceholders,
  fillProviderUrl,
  TemplateError,
} from "../../../connector-kit/provider/template.ts";
import { getTextAt, getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import { EgressError } from "../../egress/egress-error.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Json } from "../../../ground/json.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import {
  findConnection,
  lockConnection,
  updateConnection,
  type ConnectionRow,
  type ProviderMetadata,
} from "../../store/connections/connections.ts";
import { transactControl, type Database } from "../../store/database/database.ts";
import { PatternBudget } from "../stored/pattern-budget.ts";
import { captureText, listMetadataValues } from "../stored/provider-metadata.ts";
import { openCredentials, toCallCredentials, type StoredCredentials } from "../stored/credential-envelope.ts";

/** Short, because the customer waits for it at the end of the consent. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

interface AccountInfo {
  metadata: ProviderMetadata;
  /** Identifies the account at the provider. */
  workspaceRef?: string;
}

/**
 * Returns the known metadata together with the provider's. Never fails: a connection without a time zone is better than
 * none. If metadata for the base URL is missing, `requireAddress` refuses the connection.
 */
export async function withAccountInfo(
  deps: { egress: Egress; log: Log },
  provider: ProviderInfo,
  known: ProviderMetadata,
  credentials: StoredCredentials,
): Promise<AccountInfo> {
  const { accountInfo } = provider;
  const answer = accountInfo && (await ask(deps, provider, accountInfo.url, known, credentials));
  const account = answer && pickValue(answer, accountInfo.pick, listMetadataValues(known));
  if (!account) return { metadata: known };
  const metadata = { ...known };
  const budget = new PatternBudget();
  for (const { name, displayName, path, capture } of accountInfo.fields) {
    const value = captureText(getTextAt(account, path), capture, budget);
    if (value) metadata[name] = { value, source: "provider", ...(displayName && { displayName }) };
  }
  const { workspaceField } = accountInfo;
  return { metadata, workspaceRef: workspaceField && metadata[workspaceField]?.value };
}

/**
 * Requests metadata that an existing connection lacks, because the catalog listed it later or the provider was down.
 * Throws only for internal errors.
 */
export async function completeAccountInfo(deps: Services, row: ConnectionRow): Promise<void> {
  const provider = deps.catalog.of(row.projectId).find(row.provider);
  const missing = provider?.accountInfo?.fields.some(({ name }) => !row.providerMetadata[name]) ?? false;
  if (!provider || !missing) return;
  const { id, projectId } = row;
  const { metadata } = await withAccountInfo(
    deps,
    provider,
    row.providerMetadata,
    openCredentials(deps.sealer, row),
  );
  await transactControl(deps.database, async (queries) => {
    await lockConnection(queries, projectId, id);
    const fresh = await findConnection(queries, projectId, id);
    // The customer has reconnected meanwhile; that has requested the metadata of the new account.
    if (!fresh || !isDeepStrictEqual(fresh.providerMetadata, row.providerMetadata)) return;
    if (isDeepStrictEqual(metadata, row.providerMetadata)) return;
    await updateConnection(queries, projectId, id, { providerMetadata: metadata });
  });
}

interface Services {
  database: Database;
  sealer: Sealer;
  catalog: Catalog;
  egress: Egress;
  log: Log;
}

/** Picks the account that the customer named from a list. */
function pickValue(
  answer: Json,
  pick: NonNullable<ProviderInfo["accountInfo"]>["pick"],
  values: Record<string, string>,
): Json | undefined {
  if (!pick) return answer;
  const list = pick.list ? getValueAt(answer, pick.list) : answer;
  if (!Array.isArray(list)) return undefined;
  const wanted =
    listPlaceholders(pick.equals).every((name) => values[name]) && fillTemplate(pick.equals, values);
  return list.find((item) => getTextAt(item, pick.where) === wanted) ?? (wanted ? undefined : list[0]);
}

async function ask(
  deps: { egress: Egress; log: Log },
  provider: ProviderInfo,
  address: string,
  known: ProviderMetadata,
  credentials: StoredCredentials,
): Promise<Json | undefined> {
  try {
    const wire = toCallCredentials(credentials);
    if (!wire) return undefined;
    const added = buildAuthorization(provider, wire, listMetadataValues(known));
    const { allowsPlainHttp: allowPlainHttp } = deps.egress;
    const url = fillProviderUrl(provider, address, { values: listMetadataValues(known), allowPlainHttp });
    const { status, text } = await deps.egress.send({
      ...(await authorizeRequest(added, { url, method: "GET" })),
      totalTimeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if (status === 200) return parseExactly(text());
    deps.log.warn({ provider: provider.name, status }, "the provider returned no account metadata");
  } catch (error) {
    if (!isExpected(error)) throw error;
    deps.log.warn(
      { provider: provider.name, error: String(error) },
      "account metadata could not be requested",
    );
  }
  return undefined;
}

const isExpected = (error: unknown): boolean =>
  [EgressError, TemplateError, CredentialsError, SyntaxError].some((kind) => error instanceof kind);
