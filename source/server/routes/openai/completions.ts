// POST /v1/completions
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal } from "../../run-request.ts";
import { CompletionChoice, type CompletionPiece, joinPieces } from "./completion-choice.ts";
import { type PromptRequest, toPromptRequests } from "./completion-prompts.ts";
import { CompletionBody } from "./completion-schema.ts";
import { EventStream } from "./event-stream.ts";
import { ReplyHead } from "./reply-head.ts";
import { type ChoiceEvent, repeatWithSeeds, runChoices } from "./run-choices.ts";
import { usageOf } from "./usage.ts";

export function registerCompletions(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: CompletionBody }>(
    "/v1/completions",
    { schema: { body: CompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const { requestLog, scheduler, log } = dependencies;
      if (request.record !== undefined) {
        const stream = body.stream === true;
        requestLog.update(request.record, { model: body.model, stream });
      }
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await scheduler.resolve({ model: body.model, isFileAllowed });
      const { vocabularySize } = model.facts;
      const prompts = toPromptRequests(body, { isFileAllowed, log }, vocabularySize);
      const n = body.n ?? 1;
      const requests = prompts.flatMap(({ canonical }) => repeatWithSeeds(canonical, n, model));
      const signal = clientSignal(reply);
      const texts = body.echo === true ? await echoesOf(prompts, model, scheduler, signal) : [];
      const choices = requests.map(
        (_, index) =>
          new CompletionChoice({
            index,
            echo: texts[Math.floor(index / n)] ?? "",
            topLogprobs: body.logprobs,
          }),
      );
      const events = runChoices(dependencies, request, requests, model, signal);
      const head = new ReplyHead("cmpl", body.model).fields("text_completion");
      const usage = () =>
        usageOf(
          choices.map(({ meter }) => meter),
          n,
        );
      if (body.stream !== true) {
        const pieces = await collect(events, choices);
        return await reply.send({ ...head, choices: pieces.map(joinPieces), usage: usage() });
      }
      const stream = new EventStream(request, reply, signal);
      return await streamCompletion(stream, events, reply, {
        head,
        choices,
        usage: body.stream_options?.include_usage === true ? usage : undefined,
      });
    },
  );
}

/** Prompts as text, also those sent as tokens. */
async function echoesOf(
  prompts: readonly PromptRequest[],
  model: ResolvedModel,
  scheduler: ServerDependencies["scheduler"],
  signal: AbortSignal,
): Promise<string[]> {
  const texts: string[] = [];
  for (const { prompt, canonical } of prompts) {
    if (typeof prompt === "string") texts.push(prompt);
    else {
      const said = await scheduler.call("detokenize", { tokens: prompt }, canonical, model, signal);
      texts.push(said.text);
    }
  }
  return texts;
}

async function collect(
  events: AsyncIterable<ChoiceEvent>,
  choices: readonly CompletionChoice[],
): Promise<CompletionPiece[][]> {
  const pieces: CompletionPiece[][] = choices.map(() => []);
  for await (const { choice, event } of events) {
    const piece = choices[choice]?.take(event);
    if (piece !== undefined) pieces[choice]?.push(piece);
  }
  return pieces;
}

interface CompletionStream {
  head: Record<string, unknown>;
  choices: readonly CompletionChoice[];
  /** Undefined when not requested. */
  usage: (() => unknown) | undefined;
}

async function streamCompletion(
  stream: EventStream,
  events: AsyncIterable<ChoiceEvent>,
  reply: FastifyReply,
  { head, choices, usage }: CompletionStream,
): Promise<FastifyReply> {
  try {
    for await (const { choice, event } of events) {
      const piece = choices[choice]?.take(event);
      if (piece !== undefined) await stream.send({ ...head, choices: [piece] });
    }
    if (usage !== undefined) await stream.send({ ...head, choices: [], usage: usage() });
    await stream.done();
  } catch (error) {
    await stream.fail(error);
  }
  return reply;
}
