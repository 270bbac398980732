/** How solarWindsServiceDesk is connected. */
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey(
  "SolarWinds Service Desk",
  "https://{{.subdomain}}.samanage.com",
  "X-Samanage-Authorization: Bearer ",
  {
    docs: "https://documentation.solarwinds.com/en/success_center/swsd/content/completeguidetoswsd/token-authentication-for-api-integration.htm#link4",
    declares: ["read", "write", "delete", "search"],
    fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.samanage.v2.1+json" }],
    inputs: [
      {
        name: "subdomain",
        displayName: "API Subdomain",
        prompt: "Your region: api (United States), apieu (Europe) or apiau (Asia and Pacific).",
        defaultValue: "api",
        docsURL: "https://apidoc.samanage.com/#section/General-Concepts/Service-URL",
      },
    ],
  },
);
