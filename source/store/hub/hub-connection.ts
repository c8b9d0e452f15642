// The only access to the hub: owns connections and proxy, and decides which requests carry the
// token.
import type { Dispatcher } from "undici";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { exchange, type HttpReply } from "./http-reply.ts";
import { openDispatcher } from "./hub-dispatcher.ts";
import type { HubSettings } from "./hub-settings.ts";
import { networkError } from "./network-error.ts";
import { cancelled, defaultRetryPolicy, type RetryPolicy } from "./retry.ts";

export interface ConnectionOptions {
  /** Connections to one host at a time. */
  connections: number;
  /** Longest pause of the other side before a request fails. */
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

const maxPlainReplyBytes = 64 * 1024 ** 2;

export class HubConnection {
  readonly settings: HubSettings;
  readonly options: ConnectionOptions;
  readonly #origin: string;
  /** Created for the first request. */
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
   * Sends one request, without following redirects. The token goes only to the hub's own origin.
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
            await reply.read(take);
          } catch (error) {
            this.#fail(error, url, signal);
          }
        },
      };
    } catch (error) {
      return this.#fail(error, url, signal);
    }
  }

  /**
   * Keeps the connection open for work that may outlast its first user; that work must call `close`
   * too.
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
    this.#dispatcher ??= openDispatcher(this.settings.proxy, { connections, stallTimeoutMs });
    return this.#dispatcher;
  }

  #fail(error: unknown, url: string, signal: AbortSignal): never {
    if (signal.aborted) throw cancelled();
    if (error instanceof ProductError) throw error;
    throw networkError(error, url);
  }
}

/** Returns the whole body as text, for replies other than files. */
export async function readReplyText(reply: HttpReply): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  await reply.read((chunk) => {
    length += chunk.length;
    if (length <= maxPlainReplyBytes) {
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
