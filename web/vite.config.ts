import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const DECODER = "./node_modules/decode-named-character-reference/index.js";
const simulator = "http://127.0.0.1:8080";

// The server's CSP allows no inline script, no inline style and no data: address, so nothing is inlined.
export default defineConfig({
  plugins: [react()],
  // Its version for browsers decodes with an element, and the worker that parses Markdown has none.
  resolve: {
    alias: { "decode-named-character-reference": new URL(DECODER, import.meta.url).pathname },
  },
  build: {
    outDir: "../src/adk_agent_sim/server/static",
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 1000,
  },
  // `npm run dev`: open the simulator's own address first, for its cookie. It answers to its own Host and Origin only.
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: simulator, ws: true, changeOrigin: true, headers: { origin: simulator } } },
  },
  // Tests share their imports, which takes a third of the time: no test changes what other modules see.
  test: { include: ["src/**/*.test.{ts,tsx}"], passWithNoTests: true, testTimeout: 300_000, isolate: false },
});
