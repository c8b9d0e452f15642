// POST /v1/completions
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal, findModel } from "../../run-request.ts";
import { CompletionChoice, type CompletionPiece, joinPieces } from "./completion-choice.ts";
import { CompletionBody, type PromptRequest, toPromptRequests } from "./completion-prompts.ts";
import { EventStream } from "./event-stream.ts";
import { replyHead, usageOf } from "./reply-fields.ts";
import { repeatWithSeeds, runChoices, type TakeEvent } from "./run-choices.ts";

export function registerCompletions(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: CompletionBody }>(
    "/completions",
    { schema: { body: CompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const { n = 1, logprobs: topLogprobs } = body;
      const { model, rules } = await findModel(dependencies, request, body);
      const prompts = toPromptRequests(body, rules, model.facts.vocabularySize);
      const requests = prompts.flatMap(({ canonical }) => repeatWithSeeds(canonical, n, model));
      const signal = clientSignal(reply);
      const { scheduler } = dependencies;
      const texts = body.echo === true ? await echoesOf(prompts, model, scheduler, signal) : [];
      const choices = requests.map((_, index) => {
        const echo = texts[Math.floor(index / n)] ?? "";
        return new CompletionChoice({ index, echo, topLogprobs });
      });
      const run: Run = (take) => runChoices(dependencies, reply, requests, { model, signal }, take);
      return body.stream === true
        ? await streamCompletion(body, new EventStream(reply, signal), reply, { choices, run })
        : await sendWholeCompletion(body, reply, { choices, run });
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

type Run = (take: TakeEvent) => Promise<void>;

interface CompletionWork {
  choices: readonly CompletionChoice[];
  run: Run;
}

async function sendWholeCompletion(
  { model, n = 1 }: CompletionBody,
  reply: FastifyReply,
  { choices, run }: CompletionWork,
): Promise<FastifyReply> {
  const pieces: CompletionPiece[][] = choices.map(() => []);
  await run((event, choice) => {
    const piece = choices[choice]?.take(event);
    if (piece !== undefined) pieces[choice]?.push(piece);
  });
  return await reply.send({
    ...replyHead("cmpl", "text_completion", model),
    choices: pieces.map(joinPieces),
    usage: usageOf(choices, n),
  });
}

async function streamCompletion(
  { model, n = 1, stream_options: options }: CompletionBody,
  stream: EventStream,
  reply: FastifyReply,
  { choices, run }: CompletionWork,
): Promise<FastifyReply> {
  const head = replyHead("cmpl", "text_completion", model);
  try {
    await run(async (event, choice) => {
      const piece = choices[choice]?.take(event);
      if (piece !== undefined) await stream.send({ ...head, choices: [piece] });
    });
    if (options?.include_usage === true) {
      await stream.send({ ...head, choices: [], usage: usageOf(choices, n) });
    }
    await stream.done();
  } catch (error) {
    await stream.fail(error);
  }
  return reply;
}
