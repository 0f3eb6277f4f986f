// Builds the console into dist/: hashed files under assets/, nothing inline, so that the page's policy needs no exception.
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where `npm run dev` finds the API: a running demo, unless told otherwise. */
const api = process.env.VAULTOPS_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), preloadFont()],
  build: {
    target: "es2024",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/identity", "/docs", "/openapi.json", "/fulfill-redeems", "/services/status"].map((path) => [
        path,
        api,
      ]),
    ),
  },
});

/** The text's font is asked for with the page, not after its styles: it is shown from the first paint or not at all. */
function preloadFont(): Plugin {
  return {
    name: "preload-font",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const href = Object.keys(bundle).find((name) => name.includes("inter-latin"));
        const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `/${href}` };
        return href === undefined ? [] : [{ tag: "link", attrs, injectTo: "head-prepend" }];
      },
    },
  };
}
