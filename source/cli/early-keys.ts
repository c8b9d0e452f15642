// Imported early: without a command the program opens its screen, and keys typed until then are for
// it.
import { holdKeys } from "./held-keys.ts";

const otherwise = new Set(["--help", "-h", "--version", "-v", "--plain", "--json", "--"]);
const words = process.argv.slice(2);
const opensScreen = words.every((word) => word.startsWith("-") && !otherwise.has(word));

if (opensScreen && process.env.TERM !== "dumb") holdKeys();
