// All targets: everything that takes untrusted input, those in this process first.
import type { Target } from "./target.ts";
import { archives } from "./targets/archives.ts";
import { disconnects } from "./targets/disconnects.ts";
import { follows } from "./targets/follows.ts";
import { gateway } from "./targets/gateway.ts";
import { headers } from "./targets/headers.ts";
import { images } from "./targets/images.ts";
import { keys } from "./targets/keys.ts";
import { kills } from "./targets/kills.ts";
import { loads } from "./targets/loads.ts";
import { modelfiles } from "./targets/modelfiles.ts";
import { models } from "./targets/models.ts";
import { queue } from "./targets/queue.ts";
import { requests } from "./targets/requests.ts";
import { schemas } from "./targets/schemas.ts";
import { scripts } from "./targets/scripts.ts";
import { settings } from "./targets/settings.ts";
import { sockets } from "./targets/sockets.ts";
import { templates } from "./targets/templates.ts";

export const targets: readonly Target[] = [
  settings,
  modelfiles,
  headers,
  models,
  archives,
  images,
  schemas,
  templates,
  gateway,
  queue,
  scripts,
  requests,
  sockets,
  keys,
  disconnects,
  follows,
  loads,
  kills,
];
