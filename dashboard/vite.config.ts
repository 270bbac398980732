/** Builds the dashboard into `dist`, or the folder in `BUSBAR_DASHBOARD_OUT`. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: { target: "es2024", manifest: true, reportCompressedSize: false },
});
