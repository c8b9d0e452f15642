// Capacity of the server's machine for models.
import type { ApiClient } from "./api-client.ts";
import { entriesOf, fieldsOf, numberOf, optionalNumber, textOf } from "./reply-fields.ts";

export interface GpuCapacity {
  name: string;
  totalBytes: number;
  freeBytes: number;
}

export interface Capacity {
  /** Free space on the store's disk; undefined if the system does not report it. */
  diskFreeBytes: number | undefined;
  memory: { totalBytes: number; freeBytes: number };
  gpus: GpuCapacity[];
  /** True if the GPU uses the machine's memory. */
  hasUnifiedMemory: boolean;
  /** Maximum conversations of a loaded model at a time. */
  slots: number;
}

/** @throws ServerRefusal, or ProductError `CLIENT_SERVER_UNREACHABLE` */
export async function readCapacity(client: ApiClient): Promise<Capacity> {
  const body = fieldsOf(await client.getJson("/api/capacity"));
  const memory = fieldsOf(body.memory);
  return {
    diskFreeBytes: optionalNumber(fieldsOf(body.disk).free_bytes),
    memory: { totalBytes: numberOf(memory.total_bytes), freeBytes: numberOf(memory.free_bytes) },
    gpus: entriesOf(body.gpus).map((gpu) => ({
      name: textOf(gpu.name),
      totalBytes: numberOf(gpu.total_bytes),
      freeBytes: numberOf(gpu.free_bytes),
    })),
    hasUnifiedMemory: body.has_unified_memory === true,
    slots: numberOf(body.slots),
  };
}
