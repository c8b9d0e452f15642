// Bundles both commands, and the packages that they use, into few files: Node starts a server from them in
// half the time that a thousand modules take.
import { defineConfig } from "rolldown";

export default defineConfig({
  // Programs that Node runs, also as children and workers of each other. All files are in one folder,
  // in which they find each other by name.
  input: {
    cli: "cli.tsx",
    deployctl: "source/cli/deployctl.ts",
    "runner-main": "source/engine/runner/runner-main.ts",
    "render-worker": "source/prompt/render-worker.ts",
    "bandwidth-worker": "source/application/speed/bandwidth-worker.ts",
    "hash-worker": "source/store/hub/download/hash-worker.ts",
  },
  platform: "node",
  // Packages with native libraries or programs in their own folders.
  external: ["@fugood/llama.node", "clipboardy", "node-llama-cpp", "react-devtools-core", "sharp"],
  // React's development build takes twice as long for a frame.
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
  plugins: [
    {
      name: "decode-yoga-without-fetch",
      transform: {
        filter: { id: /yoga-wasm-base64/ },
        // Yoga would decode itself with fetch, for which Node loads its HTTP client: a sixth of a screen's start.
        handler: (code) => `const fetch = undefined;\n${code}`,
      },
    },
    {
      name: "read-flags-without-package-data",
      transform: {
        filter: { id: /meow\/build\/dependencies\.js/ },
        // meow gets the program's name from us. Preparing to read it from a package, which checks licenses, would
        // take as long as everything else that a command loads before its own code.
        handler: (code) => code.replace("= requireNormalize();", "= () => {};"),
      },
    },
  ],
  output: { dir: "dist", cleanDir: true, chunkFileNames: "[name].js" },
});
