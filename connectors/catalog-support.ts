/** Reduces what a provider's entry declares to what the connector's code can do. */
import type { Connector } from "../connector-kit/connector.ts";
import { supports } from "../connector-kit/provider/define-provider.ts";
import type { ProviderEvidence } from "../connector-kit/provider-evidence.ts";
import type { ProviderInfo } from "../connector-kit/provider-info.ts";
import type { Features, Support } from "../connector-kit/provider-support.ts";

/**
 * Returns the provider with `support` reduced to what is built, `features` completed from the connector, and the evidence, which no
 * document of a builder can claim.
 */
export function buildSupport(
  { evidence: _claimed, ...info }: ProviderInfo,
  connector: Connector | undefined,
  evidence?: ProviderEvidence,
): ProviderInfo {
  const partsFor = (module: string): Parts => ({
    write: pickPart(connector?.write, module),
    read: pickPart(connector?.read, module),
    subscribe: pickPart(connector?.subscribe, module),
  });
  const parts = partsFor(info.defaultModule);
  const shown: ProviderInfo = {
    ...info,
    ...(evidence && { evidence }),
    support: info.documentationOnly === undefined ? reduce(info.support, parts) : supports(),
    features: withWrite(withRead(info.features, parts), parts),
  };
  if (info.modules) {
    shown.modules = Object.fromEntries(
      Object.entries(info.modules).map(([key, module]) => [
        key,
        {
          ...module,
          support: reduce(module.support, partsFor(key)),
          ...(module.features && { features: withRead(module.features, partsFor(key)) }),
        },
      ]),
    );
  }
  return shown;
}

type Parts = Pick<Connector, "write" | "read" | "subscribe">;

const pickPart = <Part extends { module?: string }>(
  part: Part | undefined,
  module: string,
): Part | undefined => (part?.module === undefined || part.module === module ? part : undefined);

/** Filters are of use only where records are read. */
const withRead = (declared: Features | undefined, { read }: Parts): Features => ({
  ...declared,
  ...(declared?.fieldFilters !== undefined && { fieldFilters: declared.fieldFilters && read !== undefined }),
});

const withWrite = (declared: Features, { write }: Parts): Features => ({
  ...declared,
  ifEmpty: write?.abilities.ifEmpty ?? false,
  associations: write?.abilities.associations ?? false,
  writeHeaders: write?.abilities.headers ?? false,
  upsert: write !== undefined && write.abilities.upsert !== false,
});

function reduce(declared: Support, { write, read, subscribe }: Parts): Support {
  const writes = declared.write && write !== undefined;
  const support: Support = supports();
  support.read = declared.read && read !== undefined;
  support.search.operators.equals =
    declared.search.operators.equals && read !== undefined && read.abilities.search;
  support.proxy = declared.proxy;
  // Changed records are read again before they are delivered.
  support.subscribe = declared.subscribe && read !== undefined && subscribe !== undefined;
  support.write = writes;
  support.delete = writes && declared.delete && write.abilities.delete;
  const limit = writes ? write.abilities.batchLimit : undefined;
  if (declared.batchWrite) {
    support.batchWrite = {
      create: reduceBatch(declared.batchWrite.create, limit),
      update: reduceBatch(declared.batchWrite.update, limit),
      upsert: reduceBatch(declared.batchWrite.upsert, writes && write.abilities.upsert ? limit : undefined),
      delete: { supported: false },
    };
  }
  return support;
}

type BatchAbility = NonNullable<NonNullable<Support["batchWrite"]>["create"]>;

function reduceBatch(declared: BatchAbility | undefined, limit: number | undefined): BatchAbility {
  if (!declared?.supported || limit === undefined) return { supported: false };
  return { supported: true, defaultRecordLimit: Math.min(declared.defaultRecordLimit ?? limit, limit) };
}
