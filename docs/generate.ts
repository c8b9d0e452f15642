// Writes the generated pages: npm run docs.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { renderDocs } from "./render.ts";

for (const [name, text] of Object.entries(renderDocs())) {
  writeFileSync(path.join(import.meta.dirname, name), text);
}
