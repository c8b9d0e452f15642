// Concurrent answers never mix, with 1 slot.
import { proveConcurrency } from "../support/concurrency.ts";

proveConcurrency(1, [{ prefillChunk: 64, mixedBatches: true }]);
