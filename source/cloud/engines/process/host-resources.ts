// What this machine can give to replicas, and what each of them holds: a port, and GPUs.

import { ProductError } from "../../../base/product-error.ts";
import type { HardwareNeeds } from "../../app-config.ts";
import { cloudErrors } from "../../errors.ts";
import type { Reservations } from "../../state/reservations.ts";
import type { Capacity } from "../engine.ts";
import { capacityFor } from "./capacity.ts";
import { GpuPool } from "./gpu-pool.ts";
import { type GpuNeed, gpuNeedOf, isOfType, readMachineTypes } from "./machine-types.ts";
import { availableMemoryBytes } from "./memory-pressure.ts";
import { type PortRange, reservePort, unreservedPorts } from "./port-pool.ts";

export interface HostResourcesOptions {
  stateFolder: string;
  reservations: Reservations;
  portRange: PortRange;
  /** What the control plane itself may see of the GPUs, as CUDA_VISIBLE_DEVICES. */
  visibleGpus: string | undefined;
  /** Monotonic milliseconds. */
  now: () => number;
  log: (text: string) => void;
}

export interface Holding {
  port: number;
  /** UUIDs. */
  gpus: string[];
}

export class HostResources {
  readonly #options: HostResourcesOptions;
  readonly #pool: GpuPool;

  constructor(options: HostResourcesOptions) {
    const { reservations, log, visibleGpus: visible, now } = options;
    this.#options = options;
    this.#pool = new GpuPool({ reservations, log, visible, now });
  }

  /** @param unmappedPort of a living replica of the same app that could not be given another */
  async capacity(hardware: HardwareNeeds, unmappedPort: number | undefined): Promise<Capacity> {
    const { reservations, portRange } = this.#options;
    return capacityFor(this.#needOf(hardware), {
      gpus: await this.#pool.list(),
      freeGpus: await this.#pool.free(),
      freePorts: unreservedPorts(reservations, portRange),
      availableMemoryBytes: availableMemoryBytes(),
      unmappedPort,
    });
  }

  /**
   * Takes a port and the GPUs.
   *
   * @throws ProductError `CLOUD_NO_CAPACITY`; nothing is held then
   */
  async reserve(
    replica: string,
    hardware: HardwareNeeds,
    unmappedPort: number | undefined,
  ): Promise<Holding> {
    const { fits, reason } = await this.capacity(hardware, unmappedPort);
    if (!fits) throw noCapacity(reason ?? "there is no room for one more replica");
    const { reservations, portRange } = this.#options;
    const need = this.#needOf(hardware);
    const free = (await this.#pool.free()).filter((gpu) => isOfType(gpu, need));
    const gpus = free.slice(0, need.count);
    if (gpus.length < need.count || !this.#pool.reserve(replica, gpus)) {
      throw noCapacity("another replica took the GPU at the same moment");
    }
    const port = await reservePort(replica, reservations, portRange, Math.random);
    if (port === undefined) {
      reservations.release(replica);
      throw noCapacity("all ports of the port range are in use");
    }
    return { port, gpus: gpus.map(({ uuid }) => uuid) };
  }

  /** Writes down what a living replica holds: a state from a backup may know nothing of it. */
  hold(replica: string, { port, gpus }: Holding): void {
    const held = [
      { kind: "port", value: String(port), replica, share: 1 } as const,
      ...gpus.map((value) => ({ kind: "gpu", value, replica, share: 1 }) as const),
    ];
    for (const reservation of held) {
      if (this.#options.reservations.reserve(reservation)) continue;
      this.#options.log(`${replica} holds ${reservation.value}, which another has reserved`);
    }
  }

  release(replica: string): void {
    this.#options.reservations.release(replica);
  }

  /** Gives back what is held for replicas that are not there. */
  releaseOthers(replicas: ReadonlySet<string>): void {
    for (const { replica } of this.#options.reservations.list()) {
      if (!replicas.has(replica)) this.release(replica);
    }
  }

  /** UUIDs that a replica may see; undefined: what there is. */
  visibleTo(hardware: HardwareNeeds, { gpus }: Holding): string[] | undefined {
    const { count, hidesGpus } = this.#needOf(hardware);
    return count > 0 || hidesGpus ? gpus : undefined;
  }

  #needOf(hardware: HardwareNeeds): GpuNeed {
    const { stateFolder, log } = this.#options;
    return gpuNeedOf(hardware, readMachineTypes(stateFolder, log));
  }
}

function noCapacity(reason: string): ProductError {
  return new ProductError(cloudErrors.noCapacity, {
    message: `No replica can be started: ${reason}`,
    hint: "Stop another replica, or ask for other hardware.",
  });
}
