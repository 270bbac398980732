/** A project's custom provider as the API shows it, and how it is checked and stored. */
import { Type, type Static } from "typebox";
import type { Catalog, CustomProvider } from "../../../connector-kit/catalog.ts";
import { checkCustomProvider, listLiteralHosts } from "../../../connector-kit/custom-provider.ts";
import type { ProviderFault } from "../../../connector-kit/provider/check-provider.ts";
import { ProviderInfoSchema } from "../../../connector-kit/provider-info.ts";
import type { Egress } from "../../egress/egress.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import type { JsonObject } from "../../../ground/json.ts";
import type { Queries } from "../../store/database/database.ts";
import {
  countCustomProviders,
  upsertCustomProvider,
  type CustomProviderRow,
} from "../../store/connections/custom-providers.ts";
import { CreateTime, toTimes, UpdateTime } from "../members.ts";

/** Maximum number of custom providers in a project. */
export const MAX_PROVIDERS = 50;

export const CustomProviderKey = Type.String({
  description: "Key of the project's custom provider: `x-` and lower-case letters, digits and dashes.",
});

export const ProviderDocumentSchema = Type.Record(Type.String(), Type.Unknown(), {
  title: "ProviderDocument",
  description:
    "How to connect, with the members of a provider of the catalog such as `authType` and `baseURL`, and in `connector` the " +
    "description of its objects. `support` follows from it.",
});

export const CustomProviderSchema = Type.Object(
  {
    key: CustomProviderKey,
    provider: described(ProviderInfoSchema, "The provider as integrations and customers see it."),
    document: described(ProviderDocumentSchema, "The document as it was sent."),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "OwnProvider", description: "A provider that belongs to one project." },
);

/** Returns undefined for a document that this version does not accept any more. */
export function toCustomProvider(
  row: CustomProviderRow,
  catalog: Catalog,
): Static<typeof CustomProviderSchema> | undefined {
  const { own } = checkCustomProvider(row.key, row.document);
  const provider = own && catalog.with(new Map([[row.key, own]])).find(row.key);
  return provider && { key: row.key, provider, document: row.document, ...toTimes(row) };
}

const MAX_ISSUES = 50;

/** Throws a 422 Problem with one issue for each fault; `place` is what their names begin with. */
export function requireCustomProvider(
  deps: { catalog: Catalog; egress: Pick<Egress, "mayReach" | "allowsPlainHttp"> },
  key: string,
  document: unknown,
  place = "",
): CustomProvider {
  const { own, faults } = checkCustomProvider(key, document);
  if (own && deps.catalog.find(key)) {
    const message = "is a provider of this server's catalog; choose another key";
    throw buildInvalid(key, [{ path: "key", message }], place);
  }
  const unreachable = own ? findHostFaults(own, deps.egress) : [];
  if (own && unreachable.length === 0) return own;
  throw buildInvalid(key, [...faults, ...unreachable], place);
}

const findHostFaults = (
  { info }: CustomProvider,
  egress: Pick<Egress, "mayReach" | "allowsPlainHttp">,
): ProviderFault[] =>
  listLiteralHosts(info).flatMap(({ path, host, isPlain }) => {
    if (!egress.mayReach(host)) return [{ path, message: `${host} is a private address` }];
    return isPlain && !egress.allowsPlainHttp(host)
      ? [{ path, message: "must begin with https://: credentials go there" }]
      : [];
  });

function buildInvalid(key: string, faults: ProviderFault[], place: string): Problem {
  const [first] = faults;
  const readName = ({ path }: ProviderFault) => [place, path].filter(Boolean).join(".");
  const count = `${faults.length} mistake${faults.length === 1 ? "" : "s"}`;
  return new Problem("semantically-invalid", {
    detail: `The provider ${key} has ${count}; the first: ${first ? `${readName(first)}: ${first.message}` : ""}`,
    issues: faults
      .slice(0, MAX_ISSUES)
      .map((fault) => ({ in: "body" as const, name: readName(fault), detail: fault.message })),
    causes: faults.slice(0, MAX_ISSUES).map((fault) => `${readName(fault)}: ${fault.message}`),
  });
}

/** Throws a 409 Problem for other addresses than those stored, a 422 one for too many providers. */
export async function storeCustomProvider(
  queries: Queries,
  projectId: string,
  { info: { name: key }, origins }: CustomProvider,
  document: JsonObject,
): Promise<void> {
  const stored = await upsertCustomProvider(queries, { projectId, key, document, origins });
  if (stored.origins !== origins)
    throw new Problem("conflict", {
      detail:
        `The provider ${key} was made for ${stored.origins}, and stored credentials belong to these addresses; the document ` +
        `names ${origins}. Use another key, or delete the provider and what uses it first.`,
    });
  if ((await countCustomProviders(queries, projectId)) <= MAX_PROVIDERS) return;
  throw new Problem("semantically-invalid", {
    detail: `A project can have ${MAX_PROVIDERS} providers of its own. Delete one first.`,
  });
}

export const refuseUnknownCustomProvider = (key: string): Problem =>
  new Problem("not-found", {
    detail: `This project has no provider \`${key}\` of its own. GET /v1/providers/{provider} shows those of the catalog.`,
  });
