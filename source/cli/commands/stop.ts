// modelctl stop: asks the server to unload a model.
import { wholeReference } from "../../base/file-path.ts";
import { ProductError } from "../../base/product-error.ts";
import { ServerRefusal } from "../../client/api-client.ts";
import { openLibrary } from "../model-library.ts";
import type { Run } from "../program/definition.ts";
import { findNamedServer } from "../running-server.ts";
import type { serverCommands } from "./server.definition.ts";

export const stop: Run<typeof serverCommands.stop> = async ([reference], flags) => {
  const { library, settings } = openLibrary(flags);
  const model = wholeReference(reference, settings.values.hub_prefixes);
  const server = await findNamedServer(flags, settings);
  const sentence = `couldn't find model ${JSON.stringify(reference)} to stop`;
  try {
    // Without a server no model is loaded; an unknown model is still an error.
    if (server === undefined) await library.catalog.resolve(model);
    else await server.unload(model);
  } catch (error) {
    if (error instanceof ProductError && error.status === 404) {
      throw error.reworded({ message: sentence });
    }
    if (error instanceof ServerRefusal && error.status === 404) {
      throw new ServerRefusal(error.status, error.code, sentence);
    }
    throw error;
  }
  if (flags.json) {
    const parsed = library.catalog.parse(model);
    const name = parsed.kind === "name" ? parsed.name.display : model;
    process.stdout.write(`${JSON.stringify({ name })}\n`);
  }
};
