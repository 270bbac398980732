/** Starts the dashboard in the browser. */
// Before all components: their own styles come after those of the library.
import "./styles.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/queries.ts";
import { followNavigation, reloadForMissingFiles } from "./navigation-effects.ts";
import { router } from "./routes.tsx";
import { listCssVariables, theme } from "./theme.ts";

const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);
reloadForMissingFiles();
followNavigation(router);
createRoot(document.querySelector("#root") ?? document.body).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={listCssVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
