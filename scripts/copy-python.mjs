// Copies the Python files, which are shipped unchanged, to the compiled files.
import { cpSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const from = fileURLToPath(new URL("../source/cloud/python", import.meta.url));
const to = fileURLToPath(new URL("../dist/source/cloud/python", import.meta.url));
cpSync(from, to, { recursive: true, filter: (file) => path.basename(file) !== "__pycache__" });
