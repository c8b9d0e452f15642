// Resources and prompts of an MCP server, besides its tools.
import type { Client } from "@modelcontextprotocol/client";
import { toOneLine } from "../base/display-text.ts";
import { isRecord } from "../base/json.ts";
import { ProductError } from "../base/product-error.ts";
import { toolErrors } from "./errors.ts";
import type { ServerContext, ServerPrompt, ServerResource } from "./tool.ts";
import { readResult } from "./tool-result.ts";

export class McpContext implements ServerContext {
  readonly #server: string;
  readonly #client: Client;
  readonly #timeoutMs: number;

  constructor(server: string, client: Client, timeoutMs: number) {
    this.#server = server;
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  async resources(): Promise<readonly ServerResource[]> {
    if (this.#client.getServerCapabilities()?.resources === undefined) return [];
    const { resources } = await this.#client.listResources(undefined, this.#options);
    return resources.map(({ uri, name, title, description }) => ({
      uri,
      title: title ?? name,
      description: description ?? "",
    }));
  }

  async read(uri: string): Promise<string> {
    const { contents } = await this.#asked(`the resource ${toOneLine(uri)}`, () =>
      this.#client.readResource({ uri }, this.#options),
    );
    const blocks = contents.map((resource) => ({ type: "resource", resource }));
    return readResult(blocks, false).text;
  }

  async prompts(): Promise<readonly ServerPrompt[]> {
    if (this.#client.getServerCapabilities()?.prompts === undefined) return [];
    const { prompts } = await this.#client.listPrompts(undefined, this.#options);
    return prompts.map(({ name, description = "", arguments: parameters = [] }) => ({
      name,
      description,
      parameters: parameters.map(({ name: parameter, description: text = "", required }) => ({
        name: parameter,
        description: text,
        isRequired: required === true,
      })),
    }));
  }

  async prompt(name: string, values: Readonly<Record<string, string>>): Promise<string> {
    const { messages } = await this.#asked(`the prompt ${toOneLine(name)}`, () =>
      this.#client.getPrompt({ name, arguments: { ...values } }, this.#options),
    );
    const blocks = messages.map(({ content }) => content).filter(isRecord);
    return readResult(blocks, false).text;
  }

  get #options() {
    return { timeout: this.#timeoutMs };
  }

  /** @throws ProductError `TOOLS_CALL_FAILED` */
  async #asked<Reply>(what: string, ask: () => Promise<Reply>): Promise<Reply> {
    try {
      return await ask();
    } catch (error) {
      const reason = toOneLine(error instanceof Error ? error.message : String(error));
      throw new ProductError(toolErrors.callFailed, {
        message: `The tool server ${this.#server} did not give ${what}: ${reason}`,
        cause: error,
      });
    }
  }
}
