/** Writes the table of docs/guide/clients.md: every operation of the API, and the methods of both clients that call it. */
import { toPythonName, toTypescriptName } from "../server/guide/client-forms.ts";

const BEGIN = "<!-- Generated from openapi.json by `npm run generate`. -->\n";
const END = "<!-- End of the generated part. -->\n";

interface Description {
  paths: Record<string, Record<string, { operationId?: string; summary?: string; tags?: string[] }>>;
}

interface Call {
  tag: string;
  /** For example `GET /v1/projects`. */
  request: string;
  typescript: string;
  python: string;
}

/** Returns the guide with a fresh generated part. Throws if the guide has none. */
export function withClientCalls(guide: string, description: Description): string {
  const begin = guide.indexOf(BEGIN);
  const end = guide.indexOf(END);
  if (begin === -1 || end < begin)
    throw new Error("docs/guide/clients.md has lost the marks of its generated part");
  return guide.slice(0, begin + BEGIN.length) + formatSections(listCalls(description)) + guide.slice(end);
}

function listCalls({ paths }: Description): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, tags = [] }]) =>
      operationId === undefined
        ? []
        : [
            {
              tag: tags[0] ?? "Others",
              request: `${method.toUpperCase()} ${path}`,
              typescript: toTypescriptName(operationId),
              python: toPythonName(operationId),
            },
          ],
    ),
  );
}

function formatSections(calls: Call[]): string {
  const tags = [...new Set(calls.map(({ tag }) => tag))].toSorted();
  const row = ({ request, typescript, python }: Call) =>
    `| \`${request}\` | \`${typescript}\` | \`${python}\` |`;
  const section = (tag: string) =>
    `\n### ${tag}\n\n| | TypeScript | Python |\n|---|---|---|\n${calls
      .filter((call) => call.tag === tag)
      .map(row)
      .join("\n")}\n`;
  return tags.map(section).join("");
}
