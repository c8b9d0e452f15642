// Reply schemas about the server, the machine and the hub; all ours.
import { Type } from "typebox";
import { RequestRecord } from "../../request-log/request-record.ts";
import {
  count,
  fraction,
  nullable,
  orLines,
  type ReplySchemas,
  Speed,
  text,
} from "./reply-parts.ts";

const maybe = Type.Optional;

const MachineSample = Type.Object({
  time: Type.Number(),
  cpu: Type.Object({ cores: count, load: Type.Number() }),
  memory: Type.Object({ totalBytes: count, usedBytes: count, processBytes: count }),
  gpus: Type.Array(
    Type.Object({
      name: text,
      load: maybe(fraction),
      memoryUsedBytes: maybe(count),
      memoryTotalBytes: maybe(count),
      temperatureCelsius: maybe(Type.Number()),
      powerWatts: maybe(Type.Number()),
    }),
  ),
  models: Type.Array(
    Type.Object({
      name: text,
      names: Type.Array(text),
      state: text,
      running: count,
      waiting: count,
      tokensPerSecond: Type.Number(),
    }),
  ),
  requests: Type.Object({ running: count, waiting: count, areRecorded: Type.Boolean() }),
  tokensPerSecond: Type.Number(),
});

const HubModel = Type.Object({
  name: text,
  repository: text,
  downloads: maybe(count),
  likes: maybe(count),
  modified_at: maybe(text),
  is_gated: Type.Boolean(),
  parameter_count: maybe(count),
  architecture: maybe(text),
  context_length: maybe(count),
  license: maybe(text),
});

export const operationsReplies: Readonly<Record<string, ReplySchemas>> = {
  "GET /": { text: true },
  "GET /metrics": { text: true },
  "GET /health": { json: Type.Object({ status: Type.Literal("ok") }) },
  "GET /api/version": { json: Type.Object({ version: text, server: Type.Literal("modelctl") }) },
  "GET /api/requests": orLines(Type.Object({ requests: Type.Array(RequestRecord) }), RequestRecord),
  "GET /api/requests/:id": { json: RequestRecord },
  "POST /api/recording": { json: Type.Object({ enabled: Type.Boolean() }) },
  "GET /api/metrics": orLines(MachineSample),
  "GET /openapi.json": {
    json: Type.Object({ openapi: text, paths: Type.Record(text, Type.Unknown()) }),
  },
  "GET /api/hub/search": { json: Type.Object({ models: Type.Array(HubModel) }) },
  "GET /api/hub/recommended": {
    json: Type.Object({
      models: Type.Array(
        Type.Object({
          name: text,
          purpose: text,
          size: count,
          is_rough: Type.Boolean(),
          memory: count,
          speed: Speed,
          disk_after: nullable(Type.Number()),
          why: text,
        }),
      ),
      notes: Type.Array(text),
    }),
  },
  "GET /api/hub/repository": {
    json: Type.Object({
      name: text,
      commit: text,
      quantizations: Type.Array(
        Type.Object({
          selector: text,
          size: count,
          files: count,
          has_projector: Type.Boolean(),
          is_default: Type.Boolean(),
        }),
      ),
    }),
  },
  "GET /api/hub/card": { json: Type.Object({ name: text, text }) },
  "GET /api/capacity": {
    json: Type.Object({
      disk: Type.Object({ free_bytes: nullable(count) }),
      memory: Type.Object({ total_bytes: count, free_bytes: count }),
      gpus: Type.Array(Type.Object({ name: text, total_bytes: count, free_bytes: count })),
      has_unified_memory: Type.Boolean(),
      slots: count,
      kv_cache_type: text,
    }),
  },
};
