// The first requests to a new app: which models it has, and one short answer.
import { describeError } from "../../base/product-error.ts";
import { ServerRefusal } from "../../client/api-client.ts";
import { type EndpointConnection, OpenAiEndpoint } from "../../client/openai-endpoint.ts";
import type { TestStep } from "../../ui/screens/cloud-access.ts";

const question = "Say hello in one sentence.";
const answerTokens = 32;

/** The second request is left out when the first one fails. */
export async function testApp(
  connection: EndpointConnection,
  signal: AbortSignal = new AbortController().signal,
): Promise<TestStep[]> {
  const endpoint = new OpenAiEndpoint(connection);
  let models: string[] = [];
  const first = await step("GET /v1/models", "at least one model", async () => {
    models = await endpoint.models(signal);
    return models.join(", ");
  });
  const [model] = models;
  if (model === undefined) return [first];
  const expected = `an answer to "${question}"`;
  const second = await step("POST /v1/chat/completions", expected, async () => {
    const messages = [{ role: "user", content: question }] as const;
    const parameters = { num_predict: answerTokens };
    let text = "";
    for await (const event of endpoint.chat({ model, messages, parameters, signal })) {
      if (event.type === "text" || event.type === "thinking") text += event.text;
    }
    return text.trim();
  });
  return [first, second];
}

async function step(
  request: string,
  expected: string,
  ask: () => Promise<string>,
): Promise<TestStep> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  try {
    const answer = (await ask()).replaceAll(/\s+/g, " ");
    const isOk = answer !== "";
    const sentence = isOk ? answer : "nothing";
    return { request, expected, status: 200, elapsedMs: elapsed(), sentence, isOk };
  } catch (error) {
    const status = error instanceof ServerRefusal ? error.status : undefined;
    const sentence = describeError(error);
    return { request, expected, status, elapsedMs: elapsed(), sentence, isOk: false };
  }
}
