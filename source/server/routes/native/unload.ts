// Reply to a request that only unloads a model.
import type { FastifyReply } from "fastify";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { createdAt } from "./records.ts";

/** Replies at once; a model in use unloads after its last request. */
export async function unloadReply(
  { scheduler, log }: ServerDependencies,
  reply: FastifyReply,
  model: ResolvedModel,
  name: string,
  content: Record<string, unknown>,
): Promise<FastifyReply> {
  scheduler.unload(model).catch((error: unknown) => {
    log(`unloading ${name} failed: ${error instanceof Error ? error.message : error}`);
  });
  return await reply.send({
    model: name,
    created_at: createdAt(),
    ...content,
    done: true,
    done_reason: "unload",
  });
}
