// Concurrent answers never mix, with 4 slots.
import { proveConcurrency } from "../support/concurrency.ts";

proveConcurrency(4);
