// Limits of the queue: sizes, times, and networks that webhooks may reach.

export interface QueueLimits {
  /** Maximum size of a request's body. */
  requestBytes: number;
  /** Maximum size of a result's body. */
  resultBytes: number;
  /** Maximum size of all stored bodies together. */
  totalBytes: number;
  /** Maximum number of requests of one app that have not ended. */
  openRequests: number;
  /** Time after which a request that has not started fails, and after which a result is deleted. */
  expiryMs: number;
  /** Networks that webhooks may reach although they are not public, such as `10.0.0.0/8`. */
  webhookNetworks: readonly string[];
}

const mib = 2 ** 20;

export const defaultQueueLimits: QueueLimits = {
  requestBytes: 16 * mib,
  resultBytes: 32 * mib,
  totalBytes: 4096 * mib,
  openRequests: 10_000,
  expiryMs: 24 * 3_600_000,
  webhookNetworks: [],
};
