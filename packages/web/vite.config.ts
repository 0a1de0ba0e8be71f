import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.MEMOIR_URL ?? "http://127.0.0.1:8283";

const proxied = { target: server, changeOrigin: false };

export default defineConfig({
  base: "/",
  plugins: [react()],
  build: {
    outDir: "dist",
    target: "es2022",
    sourcemap: false,
    // Nothing inlined: a strict policy allows files of this origin and no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    rolldownOptions: { input: { page: "index.html", reference: "reference/index.html" } },
  },
  // `vite` alone serves the page during work on it; a Memoir server next door answers the data.
  // The host stays that of the page: the server refuses pages of other origins.
  server: { proxy: { "/v1": proxied, "/openapi.json": proxied } },
});
