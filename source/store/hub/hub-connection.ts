// The only access to the hub: owns its connections and proxy, and decides which requests carry the
// token.
import type { Dispatcher } from "undici";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { exchange, type HttpReply } from "./http-reply.ts";
import { openDispatcher } from "./hub-dispatcher.ts";
import type { HubSettings } from "./hub-settings.ts";
import { networkError } from "./network-error.ts";
import { ReadBuffers } from "./read-buffers.ts";
import { cancelled, defaultRetryPolicy, type RetryPolicy } from "./retry.ts";

export interface ConnectionOptions {
  /** Connections to one host at a time. */
  connections: number;
  /** The longest silence of the other side before a request is given up. */
  stallTimeoutMs: number;
  retryPolicy: RetryPolicy;
}

export const defaultConnectionOptions: ConnectionOptions = {
  connections: 8,
  stallTimeoutMs: 30_000,
  retryPolicy: defaultRetryPolicy,
};

export interface HubQuestion {
  method?: "GET" | "HEAD";
  url: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

const mostPlainReplyBytes = 64 * 1024 ** 2;

export class HubConnection {
  readonly settings: HubSettings;
  readonly options: ConnectionOptions;
  readonly #buffers = new ReadBuffers();
  readonly #origin: string;
  /** Made for the first request. */
  #dispatcher: Promise<Dispatcher> | undefined;
  #holders = 1;

  constructor(settings: HubSettings, options: Partial<ConnectionOptions> = {}) {
    this.settings = settings;
    this.options = { ...defaultConnectionOptions, ...options };
    this.#origin = new URL(settings.endpoint).origin;
  }

  /** True for an address on the hub itself, not on its file storage. */
  isHub(url: string): boolean {
    return new URL(url).origin === this.#origin;
  }

  /**
   * Sends one request; redirects are the caller's affair. The token goes to the hub's own origin only.
   *
   * @throws ProductError `STORE_HUB_OFFLINE`, `STORE_HUB_UNREACHABLE`, `STORE_HUB_CERTIFICATE`,
   *   `STORE_HUB_CANCELLED`
   */
  async send(question: HubQuestion): Promise<HttpReply> {
    const { method = "GET", url, headers, signal } = question;
    if (this.settings.offline) {
      throw new ProductError(storeErrors.hubOffline, {
        message: "HF_HUB_OFFLINE is set, so the hub is not contacted.",
        hint: "Unset it to download.",
      });
    }
    const { token } = this.settings;
    const isOwn = token !== undefined && this.isHub(url);
    try {
      const reply = await exchange(await this.#open(), {
        method,
        url,
        headers: {
          "user-agent": "modelctl",
          ...headers,
          ...(isOwn && { authorization: token.authorization() }),
        },
        signal,
        stallTimeoutMs: this.options.stallTimeoutMs,
      });
      return {
        ...reply,
        read: async (take) => {
          try {
            await reply.read((chunk) => {
              this.#buffers.handOut(chunk);
              return take(chunk);
            });
          } catch (error) {
            this.#fail(error, url, signal);
          }
        },
      };
    } catch (error) {
      return this.#fail(error, url, signal);
    }
  }

  /** Takes a chunk of a body back, see `ReadBuffers`; need not be called. */
  giveBack(chunk: Buffer): void {
    this.#buffers.giveBack(chunk);
  }

  /**
   * Keeps the connection open for work that may outlast its first user; that work closes it too.
   */
  hold(): void {
    this.#holders += 1;
  }

  /** Ends every connection at once when the last user releases it. */
  async close(): Promise<void> {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    await (await this.#dispatcher)?.destroy();
  }

  #open(): Promise<Dispatcher> {
    const { connections, stallTimeoutMs } = this.options;
    const { onread } = this.#buffers;
    this.#dispatcher ??= openDispatcher(this.settings.proxy, {
      connections,
      stallTimeoutMs,
      onread,
    });
    return this.#dispatcher;
  }

  #fail(error: unknown, url: string, signal: AbortSignal): never {
    if (signal.aborted) throw cancelled();
    if (error instanceof ProductError) throw error;
    throw networkError(error, url);
  }
}

/** The whole body as text; for replies that are lists, not files. */
export async function readReplyText(reply: HttpReply): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  await reply.read((chunk) => {
    length += chunk.length;
    if (length <= mostPlainReplyBytes) {
      chunks.push(chunk);
      return undefined;
    }
    const { host } = new URL(reply.url);
    return Promise.reject(
      new ProductError(storeErrors.hubReplyInvalid, {
        message: `${host} sends an endless list.`,
        hint: "Check HF_ENDPOINT.",
      }),
    );
  });
  return Buffer.concat(chunks).toString("utf8");
}
