// Smoke test: one request to a new replica before it serves others, such as `GET /v1/models`.
import { quoteShort } from "../../base/display-text.ts";
import { http } from "../../base/node-http.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { readEndpoint } from "../replica-address.ts";

const limitMs = 60_000;
/** Rejects two leading slashes, which would name another host. */
const smokePattern = /^(GET|HEAD) (\/(?!\/)[\x21-\x7e]*)$/;

/** @throws ProductError `CLOUD_REQUEST_INVALID` */
export function checkSmoke(smoke: string): void {
  if (smokePattern.test(smoke)) return;
  throw new ProductError(cloudErrors.requestInvalid, {
    message: `Invalid smoke test ${quoteShort(smoke)}: expected a request such as "GET /v1/models".`,
    param: "smoke",
  });
}

/** @returns the failure, as part of a sentence; undefined on success */
export async function askSmoke(
  endpoint: string,
  smoke: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [, method = "GET", path = "/"] = smokePattern.exec(smoke) ?? [];
  try {
    const status = await ask(endpoint, { method, path }, signal);
    return status >= 200 && status < 400 ? undefined : `answered ${smoke} with status ${status}`;
  } catch (error) {
    if (signal.aborted) throw error;
    return `did not answer ${smoke} (${describeError(error)})`;
  }
}

async function ask(
  endpoint: string,
  request: { method: string; path: string },
  signal: AbortSignal,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const { hostname, port, prefix } = readEndpoint(endpoint);
    const { method, path } = request;
    const address = { hostname, port, path: `${prefix}${path}` };
    const options = { ...address, method, agent: false as const, signal: limit };
    const outgoing = http.request(options, (reply) => {
      reply.resume();
      reply.once("error", reject);
      reply.once("end", () => resolve(reply.statusCode ?? 0));
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}
