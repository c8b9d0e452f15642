// Concurrent answers never mix, with 4 slots.
import { proveConcurrency } from "../support/concurrency.ts";

proveConcurrency(4, [{ prefillChunk: 512, mixedBatches: true }]);
