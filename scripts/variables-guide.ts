/** Writes the tables of docs/guide/configuration.md, and .env.example, from the table of settings. */
import type { Variable } from "../ground/config-values.ts";
import { VARIABLES } from "../ground/config.ts";

const END = "<!-- End of the generated part. -->\n";

/** Returns the guide with fresh tables. Throws if the place of one is missing. */
export function withVariables(guide: string): string {
  return Object.entries(VARIABLES).reduce((text, [heading, variables]) => {
    const mark = `<!-- ${heading}: generated from the table of settings by \`npm run generate\`. -->\n`;
    const begin = text.indexOf(mark);
    if (begin === -1) throw new Error(`docs/guide/configuration.md has lost the place of "${heading}"`);
    const rest = text.slice(text.indexOf(END, begin));
    return `${text.slice(0, begin)}${mark}\n${writeTable(variables)}\n${rest}`;
  }, guide);
}

/** Returns all variables, commented out, with their defaults or an example. */
export function writeExampleEnvironment(): string {
  const parts = Object.entries(VARIABLES).map(([heading, variables]) =>
    [`# ${heading}`, ...variables.map((one) => `# ${one.name}=${getExampleValue(one)}`)].join("\n"),
  );
  return [
    "# All variables, with their defaults or an example; docs/guide/configuration.md explains them.",
    "# Nothing here is needed for a first start.",
    "",
    parts.join("\n\n"),
    "",
  ].join("\n");
}

const getExampleValue = ({ example, fallback = "" }: Variable): string => example ?? fallback;

function writeTable(variables: Variable[]): string {
  const rows: Variable[][] = [];
  for (const variable of variables) {
    if (variable.about === undefined) rows.at(-1)?.push(variable);
    else rows.push([variable]);
  }
  return ["| Variable | Default | |", "|---|---|---|", ...rows.map(formatRow), ""].join("\n");
}

function formatRow(variables: Variable[]): string {
  const names = variables.map(({ name }) => `\`${name}\``).join(", ");
  const defaults = [...new Set(variables.map(formatDefault))].join(", ");
  return `| ${names} | ${defaults} | ${variables[0]?.about} |`;
}

/** A value is code; words, such as "from host and port", are not. */
const formatDefault = ({ fallback }: Variable): string =>
  fallback === undefined || fallback.includes(" ") ? (fallback ?? "unset") : `\`${fallback}\``;
