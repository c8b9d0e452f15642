// The gateway's route for Prometheus.
import { describeError } from "../../base/product-error.ts";
import type { InternalRoute } from "../../cloud/gateway/gateway-options.ts";

/**
 * Answers `/_/metrics` for admin keys of the server's own organisation.
 *
 * @param read returns metrics in Prometheus text format; callers get 503 when it fails
 */
export function metricsRoute(
  organisation: string,
  read: () => Promise<string>,
  log: (text: string) => void,
): InternalRoute {
  return (request, response, key) => {
    if (request.url !== "/_/metrics" || key?.scope !== "admin") return false;
    if (key.organisation !== organisation) return false;
    read().then(
      (text) => {
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
        response.end(text);
      },
      (error: unknown) => {
        log(`no metrics: ${describeError(error)}`);
        response.writeHead(503).end();
      },
    );
    return true;
  };
}
