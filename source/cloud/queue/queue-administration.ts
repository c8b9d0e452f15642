// Queued requests as the admin API shows and changes them.
import { ProductError } from "../../base/product-error.ts";
import type { QueuedRequestDocument } from "../admin/documents.ts";
import type { QueueAdministration } from "../admin/services.ts";
import { cloudErrors } from "../errors.ts";
import type { QueuedRequest } from "./queue-store.ts";
import type { RequestQueue } from "./request-queue.ts";

export function queueAdministration(queue: RequestQueue): QueueAdministration {
  const { store } = queue;
  const documentOf = (request: QueuedRequest) => requestDocument(request, store.position(request));
  const find = (id: string) => {
    const request = store.find(id);
    return request && documentOf(request);
  };
  return {
    list: (of, count) => store.list(of, count).map(documentOf),
    find,
    cancel: async (id) => {
      const request = store.find(id);
      const isCancelled = request !== undefined && (await queue.cancel(request));
      const document = find(id);
      if (isCancelled && document !== undefined) return document;
      throw new ProductError(cloudErrors.conflict, {
        message: `Queued request ${id} has already completed.`,
        hint: "Run `deployctl queue show ID` to see how.",
      });
    },
    purge: async (app) => {
      const cancelled = await queue.cancelAll(app);
      return { cancelled, deleted: store.forget(app) };
    },
  };
}

function requestDocument(request: QueuedRequest, position: number): QueuedRequestDocument {
  const { id, organisation, app, submission, state, attempts, replica, revision } = request;
  const { submittedAt, startBy, startedAt, endedAt, expiresAt } = request;
  const { status, errorType, error, requestBytes, resultBytes } = request;
  const { webhook: url, keyId, path, isLowPriority, isRepeatable } = submission;
  const isWaiting = state === "waiting" || state === "sent";
  return {
    ...{ id, organisation, app, path, keyId, isLowPriority, isRepeatable, attempts },
    state: isWaiting ? "IN_QUEUE" : state === "running" ? "IN_PROGRESS" : "COMPLETED",
    position: isWaiting ? position : undefined,
    ...{ submittedAt, startBy, startedAt, endedAt, expiresAt, replica, revision },
    ...{ status, errorType, error, requestBytes, resultBytes },
    webhook:
      url === undefined
        ? undefined
        : {
            url,
            state: request.webhookState,
            attempts: request.webhookAttempts,
            nextAt: request.webhookAt,
            fault: request.webhookFault,
          },
  };
}
