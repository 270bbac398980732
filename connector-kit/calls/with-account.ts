/** Wraps a connector so that its calls get the account that the server would pass to them. */
import type { Connector } from "../connector.ts";
import type { Account } from "./provider-fetch.ts";

export function withAccount({ write, read, fields, ...rest }: Connector, account: Account): Connector {
  return {
    ...rest,
    ...(write && {
      write: {
        ...write,
        prepare: (order) => write.prepare({ ...order, account }),
        write: (order, fetch) => write.write({ ...order, account }, fetch),
        readFields: (asked, fetch) => write.readFields({ ...asked, account }, fetch),
      },
    }),
    ...(read && {
      read: {
        ...read,
        preparePage: (plan, checkpoint) => read.preparePage({ ...plan, account }, checkpoint),
        readPage: (plan, checkpoint, fetch) => read.readPage({ ...plan, account }, checkpoint, fetch),
        prepareCount: (plan) => read.prepareCount({ ...plan, account }),
        count: (plan, fetch) => read.count({ ...plan, account }, fetch),
        readSample: (plan, fetch) => read.readSample({ ...plan, account }, fetch),
        readByIds: (plan, ids, fetch) => read.readByIds({ ...plan, account }, ids, fetch),
        search: (plan, fetch) => read.search({ ...plan, account }, fetch),
        readDeletions: (plan, checkpoint, fetch) =>
          read.readDeletions({ ...plan, account }, checkpoint, fetch),
      },
    }),
    ...(fields && {
      fields: { ...fields, describe: (object, fetch) => fields.describe(object, fetch, account) },
    }),
  };
}
