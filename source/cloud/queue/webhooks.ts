// Webhooks: post a request's result to the address that it named, repeatedly until the address accepts it.
import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { quoteShort } from "../../base/display-text.ts";
import { FetchRefusal, postPublic } from "../../base/fetch-public.ts";
import { isForeignAddress } from "../../base/networks.ts";
import { describeError } from "../../base/product-error.ts";
import { TrustedProxies } from "../gateway/client-address.ts";
import type { QueueLimits } from "./queue-limits.ts";
import type { QueuedRequest, QueueStore } from "./queue-store.ts";
import type { WebhookKey } from "./webhook-key.ts";

export interface WebhooksOptions {
  store: QueueStore;
  key: WebhookKey;
  limits: Pick<QueueLimits, "webhookNetworks">;
  clock: Clock;
  log: (text: string) => void;
  /** Called after each attempt. */
  onAttempt: () => void;
}

/** Delays double from 5 s on: the tenth repetition comes after 85 minutes. */
const firstDelayMs = 5000;
const maxAttempts = 11;
const maxAtATime = 8;
const longestUrl = 2048;

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #isAllowed: (address: string) => boolean;
  readonly #active = new Set<string>();
  readonly #ending = new AbortController();

  constructor(options: WebhooksOptions) {
    this.#options = options;
    const allowed = new TrustedProxies(options.limits.webhookNetworks);
    this.#isAllowed = (address) => isForeignAddress(address) || allowed.has(address);
  }

  /** @returns the reason why a webhook is refused, as a sentence; its name is resolved later */
  fault(text: string): string | undefined {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || text.length > longestUrl) {
      return `The webhook ${quoteShort(text, 80)} is not an http or https URL of at most ${longestUrl} characters.`;
    }
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const isLocal = host === "localhost" || host.endsWith(".localhost");
    if ((isIP(host) === 0 && !isLocal) || this.#isAllowed(isLocal ? "127.0.0.1" : host)) {
      return undefined;
    }
    return `The webhook ${quoteShort(text, 80)} is not on the public internet. Allow its network with deployctl up --webhook-networks.`;
  }

  /** Starts the deliveries that are due. */
  send(): void {
    const { store } = this.#options;
    if (this.#ending.signal.aborted) return;
    for (const request of store.toTell(maxAtATime)) {
      if (this.#active.has(request.id) || this.#active.size >= maxAtATime) continue;
      this.#active.add(request.id);
      void this.#tell(request).finally(() => {
        this.#active.delete(request.id);
        this.#options.onAttempt();
      });
    }
  }

  /** Deliveries in progress are repeated by the next control plane. */
  close(): void {
    this.#ending.abort();
  }

  async #tell(request: QueuedRequest): Promise<void> {
    const { store, key, clock, log } = this.#options;
    const { id, caller, submission, webhookAttempts } = request;
    const { webhook = "" } = submission;
    const body = JSON.stringify(webhookDocument(request, store.body(id, "result")));
    const headers = key.sign(body, { requestId: id, userId: caller, nowMs: clock.wallMs() });
    const { signal } = this.#ending;
    try {
      await postPublic(webhook, { headers, body, signal, isAllowed: this.#isAllowed });
      store.noteWebhook(id, { state: "delivered" });
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof FetchRefusal ? error.message : describeError(error);
      const fault = `The webhook ${quoteShort(webhook, 80)} failed: ${why}.`;
      const isLast = webhookAttempts + 1 >= maxAttempts;
      const at = clock.wallMs() + firstDelayMs * 2 ** webhookAttempts;
      store.noteWebhook(id, isLast ? { state: "failed", fault } : { state: "pending", at, fault });
      if (isLast) log(`queued request ${id}: ${fault} It is not repeated again.`);
    }
  }
}

/** Document in fal's form; a body that is not JSON is left out. */
function webhookDocument(
  { id, status = 0, error }: QueuedRequest,
  body: Buffer,
): Record<string, unknown> {
  const isOk = status >= 200 && status < 300;
  return {
    request_id: id,
    gateway_request_id: id,
    status: isOk ? "OK" : "ERROR",
    ...(!isOk && { error: error ?? `Invalid status code: ${status}` }),
    ...readPayload(body),
  };
}

function readPayload(body: Buffer): Record<string, unknown> {
  try {
    return { payload: JSON.parse(body.toString("utf8")) };
  } catch {
    return { payload: null, payload_error: "The response is not valid JSON." };
  }
}
