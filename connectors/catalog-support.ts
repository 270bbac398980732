/** Reduces what a provider's entry declares to what the connector's code can do. */
import type { Connector } from "../connector-kit/connector.ts";
import { supports } from "../connector-kit/define-provider.ts";
import type { Features, ProviderInfo, Support } from "../connector-kit/provider-info.ts";

/** Returns the provider with `support` reduced to what is built and `features` completed from the connector. */
export function builtSupport(info: ProviderInfo, connector: Connector | undefined): ProviderInfo {
  const writes = (module: string) =>
    connector?.write && (connector.write.module === undefined || connector.write.module === module)
      ? connector.write
      : undefined;
  const write = writes(info.defaultModule);
  const shown = { ...info, support: reduce(info.support, write), features: withWrite(info.features, write) };
  if (info.modules) {
    shown.modules = Object.fromEntries(
      Object.entries(info.modules).map(([key, module]) => [
        key,
        { ...module, support: reduce(module.support, writes(key)) },
      ]),
    );
  }
  return shown;
}

const withWrite = (declared: Features | undefined, write: Connector["write"]): Features => ({
  ...declared,
  ifEmpty: write?.abilities.ifEmpty ?? false,
  associations: write?.abilities.associations ?? false,
  writeHeaders: write?.abilities.headers ?? false,
});

function reduce(declared: Support, write: Connector["write"]): Support {
  const writes = declared.write && write !== undefined;
  const support: Support = supports();
  support.proxy = declared.proxy;
  support.write = writes;
  support.delete = writes && declared.delete && write.abilities.delete;
  const limit = writes ? write.abilities.batchLimit : undefined;
  if (declared.batchWrite) {
    support.batchWrite = {
      create: reduceBatch(declared.batchWrite.create, limit),
      update: reduceBatch(declared.batchWrite.update, limit),
      upsert: { supported: false },
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
