#!/usr/bin/env node
// deployctl's entry. Deploying is not built yet: the help says so.
import "./node-version.ts";
import { packageVersion } from "../application/package-facts.ts";
import { exitCodes } from "../base/product-error.ts";

const help = `deployctl ${packageVersion()}: deploys a model-serving application from a script.

Usage
  deployctl --help | --version

Deploying is not available in this version; only local serving is:
  modelctl run tiny "What is the capital of France?"
`;

const [argument] = process.argv.slice(2);
if (argument === "--version" || argument === "-v") {
  process.stdout.write(`${packageVersion()}\n`);
} else if (argument === undefined || argument === "--help" || argument === "-h") {
  process.stdout.write(help);
} else {
  process.stderr.write(
    `Error: deployctl has no command '${argument}' in this version. See deployctl --help.\n`,
  );
  process.exitCode = exitCodes.usage;
}
