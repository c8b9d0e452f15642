// Routes about models in the store.
import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../dependencies.ts";
import { registerBlobs } from "./blobs.ts";
import { registerCapacity } from "./capacity.ts";
import { registerCopy } from "./copy.ts";
import { registerCreate } from "./create.ts";
import { registerDelete } from "./delete.ts";
import { registerHub } from "./hub.ts";
import { registerPull } from "./pull.ts";
import { registerPush } from "./push.ts";
import { registerShow } from "./show.ts";
import { registerTags } from "./tags.ts";

export function registerStore(app: FastifyInstance, dependencies: ServerDependencies): void {
  registerTags(app, dependencies);
  registerShow(app, dependencies);
  registerCreate(app, dependencies);
  registerCopy(app, dependencies);
  registerDelete(app, dependencies);
  registerPull(app, dependencies);
  registerPush(app);
  registerBlobs(app, dependencies);
  registerHub(app, dependencies);
  registerCapacity(app, dependencies);
}
