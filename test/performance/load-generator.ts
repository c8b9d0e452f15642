// Load generator that sends chats to an OpenAI-compatible server and records when each part arrives.

import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { ImageMessage, Message } from "./prompts.ts";

const requestLimitMs = 5 * 60_000;
const resetRetries = 3;

export interface ChatResult {
  text: string;
  promptTokens: number;
  completionTokens: number;
  /** Prompt tokens that the server reports as cached; undefined if it does not report them. */
  cachedTokens: number | undefined;
  /** Times of the request and of its first and last text, by `performance.now()`. */
  sentAtMs: number;
  firstAtMs: number;
  lastAtMs: number;
}

export interface Client {
  chat: (messages: ReadonlyArray<Message | ImageMessage>, maxTokens: number) => Promise<ChatResult>;
  /** Sends any other request and resolves with the status after the whole response. */
  send: (method: "GET" | "POST", path: string, body?: object) => Promise<number>;
  close: () => void;
}

interface StreamChunk {
  choices?: { delta?: { content?: string | null } }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
  error?: unknown;
}

export function createClient(port: number, model: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const post = (path: string, body: object) =>
    openRequest({ agent, port, method: "POST", path, body: JSON.stringify(body) });
  return {
    chat: async (messages, maxTokens) => {
      const sentAtMs = performance.now();
      const response = await post("/v1/chat/completions", {
        model,
        messages,
        max_tokens: maxTokens,
        temperature: 0,
        ignore_eos: true,
        stream: true,
        stream_options: { include_usage: true },
      });
      return await readChat(response, sentAtMs);
    },
    send: async (method, path, body) => {
      const text = body && JSON.stringify(body);
      const response = await openRequest({ agent, port, method, path, body: text });
      for await (const _ of response);
      return response.statusCode ?? 0;
    },
    close: () => agent.destroy(),
  };
}

/** Decode rate of one stream: the first token is the prompt's work, so it does not count. */
export function decodeRate(result: ChatResult): number {
  return ((result.completionTokens - 1) * 1000) / (result.lastAtMs - result.firstAtMs);
}

export function timeToFirstToken(result: ChatResult): number {
  return result.firstAtMs - result.sentAtMs;
}

interface RequestOptions {
  agent: Agent;
  port: number;
  method: "GET" | "POST";
  path: string;
  body: string | undefined;
}

/** Retries only when the server closed an idle connection just as it was reused. */
async function openRequest(options: RequestOptions): Promise<IncomingMessage> {
  for (let attempt = 0; ; attempt++) {
    const outgoing = startRequest(options);
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.once("response", resolve);
        outgoing.once("error", reject);
      });
    } catch (error) {
      const isReset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
      if (!isReset || !outgoing.reusedSocket || attempt === resetRetries) throw error;
    }
  }
}

function startRequest({ agent, port, method, path, body }: RequestOptions): ClientRequest {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const outgoing = request({ agent, host: "127.0.0.1", port, method, path, headers });
  outgoing.setNoDelay(true);
  outgoing.setTimeout(requestLimitMs, () => outgoing.destroy(new Error(`${path} took too long`)));
  return outgoing.end(body);
}

async function readChat(response: IncomingMessage, sentAtMs: number): Promise<ChatResult> {
  if (response.statusCode !== 200) {
    throw new Error(`chat failed: ${response.statusCode} ${await readText(response)}`);
  }
  let text = "";
  let firstAtMs: number | undefined;
  let lastAtMs = sentAtMs;
  let usage: StreamChunk["usage"];
  for await (const chunk of readEvents(response)) {
    if (chunk.error !== undefined) throw new Error(`chat failed: ${JSON.stringify(chunk.error)}`);
    usage = chunk.usage ?? usage;
    const content = chunk.choices?.[0]?.delta?.content;
    if (!content) continue;
    lastAtMs = performance.now();
    firstAtMs ??= lastAtMs;
    text += content;
  }
  if (!usage || firstAtMs === undefined) throw new Error("the answer has no text or no usage");
  return {
    text,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens,
    sentAtMs,
    firstAtMs,
    lastAtMs,
  };
}

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function* readEvents(response: IncomingMessage): AsyncGenerator<StreamChunk> {
  let pending = "";
  response.setEncoding("utf8");
  for await (const piece of response) {
    const lines = (pending + String(piece)).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const data = /^data: ?(.*)$/.exec(line.trimEnd())?.[1];
      if (data && data !== "[DONE]") yield JSON.parse(data) as StreamChunk;
    }
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = "";
  response.setEncoding("utf8");
  for await (const piece of response) text += String(piece);
  return text;
}
