/** Checks of links between records: all of them are read, however many requests that takes. */
import { expect, putRecords, scanAll, type Bench, type Check } from "./bench.ts";

export function listLinkChecks(bench: Bench): Check[] {
  const { links } = bench.object;
  if (!links) return [];
  const { source } = links;
  return [
    { name: "links", source, run: () => allLinks(bench, links.objects[0] ?? "") },
    { name: "links of many records", source, run: () => manyRecords(bench, links.objects[0] ?? "") },
  ];
}

/** Checks links in several answers, and records with one and with none. */
async function allLinks(bench: Bench, to: string): Promise<undefined> {
  const linked = ["90071992547409931", "90071992547409932", "90071992547409933"];
  const [first] = putRecords(bench, 1, { links: { [to]: linked } });
  const [second] = putRecords(bench, 1, { links: { [to]: ["7"] } });
  const [third] = putRecords(bench, 1);
  const { records } = await scanAll(bench, { associations: [to] });
  const find = (id: string | undefined) =>
    records.find((record) => record.id === id)?.associations?.[to]?.map((one) => one.id) ?? [];
  expect(
    find(first?.id).join() === linked.join(),
    `of ${linked.join()}, ${find(first?.id).join() || "none"} is told`,
  );
  expect(find(second?.id).join() === "7", `of 7, ${find(second?.id).join() || "none"} is told`);
  expect(find(third?.id).length === 0, `of none, ${find(third?.id).join()} is told`);
  const metadata = records.find(({ id }) => id === second?.id)?.associations?.[to]?.[0]?.metadata;
  const { link } = bench.object.links ?? {};
  const types = JSON.stringify(link).match(/"typeId":\d+/)?.[0];
  expect(
    types === undefined || JSON.stringify(metadata ?? {}).includes(types),
    `what the vendor says about a link is not told: ${JSON.stringify(metadata)}`,
  );
}

async function manyRecords(bench: Bench, to: string): Promise<undefined> {
  const most = bench.object.links?.most ?? 0;
  const records = putRecords(bench, most > 200 ? 250 : most + 1, { links: { [to]: ["7"] } });
  const found = await scanAll(bench, { associations: [to] });
  const without = found.records.filter(({ associations }) => associations?.[to]?.[0]?.id !== "7");
  expect(
    found.records.length === records.length && without.length === 0,
    `${without.length} records have no link`,
  );
}
