// The first requests to a new app: its models, and one short answer.
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
  const first = await step("GET /v1/models", async () => {
    models = await endpoint.models(signal);
    return models.join(", ");
  });
  const [model] = models;
  if (model === undefined) return [first];
  const second = await step("POST /v1/chat/completions", async () => {
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

async function step(request: string, ask: () => Promise<string>): Promise<TestStep> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  try {
    const sentence = (await ask()).replaceAll(/\s+/g, " ");
    return { request, status: 200, elapsedMs: elapsed(), sentence, isOk: true };
  } catch (error) {
    const status = error instanceof ServerRefusal ? error.status : undefined;
    return { request, status, elapsedMs: elapsed(), sentence: describeError(error), isOk: false };
  }
}
