#!/usr/bin/env node
// modelctl's entry: the environment first, then the program.
import "./source/cli/node-version.ts";
import "./source/cli/early-keys.ts";
import "./source/cli/colour.ts";
import "./source/cli/compile-cache.ts";
import "./source/cli/heap-limit.ts";

const { main } = await import("./source/cli/modelctl.ts");
await main(process.argv.slice(2));
