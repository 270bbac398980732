/** `npm run structure`: prints the sizes and the imports of the project, and the structural faults, of which it wants none. */
import { findCircles, findMutualFolders, findSharedNames, findMainFolder } from "./structure/find-faults.ts";
import { importGraph, readSources, readTests, type Source } from "./structure/import-graph.ts";
import { findUnusedExports } from "./structure/unused-exports.ts";
import {
  findDeepestChain,
  listReached,
  listMostImported,
  measureSizes,
  type Sizes,
} from "./structure/measure.ts";

const sources = readSources();
const graph = importGraph(sources);

const formatRow = (name: string, { files, lines, median, p90, max }: Sizes): string =>
  [name.padEnd(22), ...[files, lines, median, p90, max].map((value) => String(value).padStart(8))].join("");

const list = (title: string, found: readonly string[]): string[] => [
  "",
  `${title}: ${found.length}`,
  ...found.map((line) => `  ${line}`),
];

const listLongerThan = (lines: number): string[] =>
  written.filter((source) => source.lines > lines).map(describe);
const describe = ({ file, lines }: Source): string => `${file} ${lines}`;

const written = sources.filter(({ file }) => !file.endsWith(".gen.ts"));
const inServer = sources.filter(({ file }) => file.startsWith("server/")).map(({ file }) => file);
const chain = findDeepestChain(graph);

const report = [
  [
    `Lines per file`.padEnd(22),
    ..."files lines median p90 max".split(" ").map((head) => head.padStart(8)),
  ].join(""),
  ...[...Map.groupBy(written, ({ file }) => findMainFolder(file))].map(([folder, found]) =>
    formatRow(folder, measureSizes(found)),
  ),
  formatRow("all", measureSizes(written)),
  ...list("Files over 300 lines", listLongerThan(300)),
  ...list("Files over 400 lines (0 wanted)", listLongerThan(400)),
  ...list("Folders that import each other (0 wanted)", findMutualFolders(graph)),
  ...list(
    "Import circles, types counted (0 wanted)",
    findCircles(graph).map((circle) => circle.join(", ")),
  ),
  ...list("File names that occur twice in the server (0 wanted)", findSharedNames(inServer)),
  ...list("Unused exports (0 wanted)", findUnusedExports(sources, readTests())),
  ...list("Files of the deepest import chain", chain),
  "",
  `Files that a write reaches: ${listReached(graph, "server/write/write-records.ts").size}`,
  "",
  "Most imported",
  ...listMostImported(graph, 10).map(([file, importers]) => `  ${file} ${importers}`),
];
console.log(report.join("\n"));
