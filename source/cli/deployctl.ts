#!/usr/bin/env node
// deployctl's entry: the environment first, then the program.
import "./node-version.ts";
import "./early-keys.ts";
import "./compile-cache.ts";

const { main } = await import("./cloud/main.ts");
await main(process.argv.slice(2));
