// Routes about models in the store and on the hub, below `/api`.
import type { Routes } from "../../dependencies.ts";
import { registerBlobs } from "./blobs.ts";
import { registerCopy } from "./copy.ts";
import { registerCreate } from "./create.ts";
import { registerDelete } from "./delete.ts";
import { registerHub } from "./hub.ts";
import { registerShow } from "./show.ts";
import { registerTags } from "./tags.ts";
import { registerPull, registerPush } from "./transfer.ts";

export const storeRoutes: Routes = async (app, { dependencies }) => {
  registerTags(app, dependencies);
  registerShow(app, dependencies);
  registerCreate(app, dependencies);
  registerCopy(app, dependencies);
  registerDelete(app, dependencies);
  registerPull(app, dependencies);
  registerPush(app);
  registerBlobs(app, dependencies);
  registerHub(app, dependencies);
};
