// The language of the request log's filters, for the screens: the same as on the command line.
import { parseFilter } from "../request-log/filter.ts";
import type { RequestRecord } from "../request-log/request-record.ts";

/**
 * Reads a filter such as `status:5xx model:tiny`. What was said is not looked at: the screens do not
 * have it.
 *
 * @throws ProductError `REQUEST_LOG_FILTER_INVALID`
 */
export function readRequestFilter(text: string): (record: RequestRecord) => boolean {
  const filter = parseFilter(text, Date.now());
  return (record) => filter(record, () => "");
}
