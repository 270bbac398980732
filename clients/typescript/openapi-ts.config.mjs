/** What `openapi-ts` makes of Busbar's own description: `src/api/`. */
import { readFileSync } from "node:fs";

const description = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
for (const path of Object.values(description.paths)) {
  for (const { parameters = [] } of [path, ...Object.values(path)]) {
    for (const parameter of parameters) {
      // The client fills it in; see `nameProject`.
      if (parameter.name === "projectIdOrName") parameter.required = false;
    }
  }
}

export default {
  input: description,
  output: { path: "src/api", clean: true, module: { extension: ".js" } },
  plugins: [
    { name: "@hey-api/client-fetch", throwOnError: true },
    "@hey-api/typescript",
    {
      name: "@hey-api/sdk",
      paramsStructure: "flat",
      responseStyle: "data",
      operations: { strategy: "single", containerName: "Api" },
    },
  ],
};
