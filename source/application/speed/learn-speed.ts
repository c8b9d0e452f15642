// Learns the speed of this machine from the answers of its server.
import type { Scheduler } from "../../engine/scheduler/scheduler.ts";
import type { RequestLog } from "../../request-log/request-log.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";
import type { AnswerSpeed, SpeedRecords } from "./speed-records.ts";

/** Shorter answers are mostly noise. */
const leastTokens = 16;
/** Share of a model on the card from which it runs there. */
const wholeShare = 0.95;

/**
 * Takes every answer that ran without another one beside it.
 *
 * @returns a function that stops, and resolves when what was learned is written
 */
export function learnSpeeds(
  records: SpeedRecords,
  log: Pick<RequestLog, "follow" | "running">,
  scheduler: Pick<Scheduler, "models">,
): () => Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  const together = new Set<string>();
  const stop = log.follow((record) => {
    const running = log.running.filter(({ model }) => model !== undefined);
    if (running.length > 1) for (const { id } of running) together.add(id);
    if (record.state === "running") return;
    const answer = together.delete(record.id) ? undefined : speedOf(record, scheduler);
    if (answer !== undefined) writing = writing.then(() => records.learn(answer));
  });
  return async () => {
    stop();
    await writing;
  };
}

function speedOf(
  { model: name, state, completionTokens = 0, tokensPerSecond, drafted = 0 }: RequestRecord,
  { models }: Pick<Scheduler, "models">,
): AnswerSpeed | undefined {
  if (name === undefined || state !== "done" || completionTokens < leastTokens) return undefined;
  const wanted = [name, `${name}:latest`].map((text) => text.toLowerCase());
  const loaded = models.find(({ names }) =>
    [...names].some((known) => wanted.includes(known.toLowerCase())),
  );
  if (loaded?.facts === undefined || tokensPerSecond === undefined) return undefined;
  const { model, facts } = loaded;
  const { vramBytes } = facts.memory;
  const isOnCard = vramBytes >= model.facts.fileSize * wholeShare;
  return {
    digest: model.digest,
    weights: model.facts,
    device: vramBytes === 0 ? "cpu" : isOnCard ? "gpu" : undefined,
    tokensPerSecond,
    isPlain: drafted === 0,
  };
}
