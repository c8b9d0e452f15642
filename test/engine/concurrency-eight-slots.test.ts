// Concurrent answers never mix, with 8 slots.
import { proveConcurrency } from "../support/concurrency.ts";

proveConcurrency(8, [
  { prefillChunk: 16, mixedBatches: true },
  { prefillChunk: 64, mixedBatches: false },
]);
