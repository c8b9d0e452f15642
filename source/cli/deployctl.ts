#!/usr/bin/env node
// Entry point of deployctl: prepares the environment, then runs the program.
import "./node-version.ts";
import "./early-keys.ts";
import "./compile-cache.ts";

const { main } = await import("./cloud/main.ts");
await main(process.argv.slice(2));
