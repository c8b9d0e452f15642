// Bundles a program of the tests with the sources that it imports, as dist/ is, since Node runs no JSX.
import path from "node:path";
import { rolldown } from "rolldown";
import product from "../../rolldown.config.ts";

/** @returns the file that Node runs */
export async function bundleProgram(source: string): Promise<string> {
  const { name } = path.parse(source);
  const dir = path.join(import.meta.dirname, "../../dist/tests", name);
  const bundle = await rolldown({ ...product, input: { [name]: source } });
  await bundle.write({ ...product.output, dir });
  await bundle.close();
  return path.join(dir, `${name}.js`);
}
