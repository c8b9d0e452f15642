// Resources of this machine for replicas: ports and GPUs, reserved for each replica.

import { ProductError } from "../../../base/product-error.ts";
import type { HardwareNeeds } from "../../app-config.ts";
import { cloudErrors } from "../../errors.ts";
import type { Reservations } from "../../state/reservations.ts";
import type { Capacity } from "../engine.ts";
import { type GpuNeed, gpuNeedOf, inOrder, isOfType, readMachineTypes } from "../machine-types.ts";
import { capacityFor, fittingNeed, type Resources } from "./capacity.ts";
import { GpuPool } from "./gpu-pool.ts";
import { availableMemoryBytes } from "./memory-pressure.ts";
import { type PortRange, reservePort, unreservedPorts } from "./port-pool.ts";

export interface HostResourcesOptions {
  stateFolder: string;
  reservations: Reservations;
  portRange: PortRange;
  /** CUDA_VISIBLE_DEVICES of the control plane. */
  visibleGpus: string | undefined;
  /** Monotonic milliseconds. */
  now: () => number;
  log: (text: string) => void;
}

export interface ReservedResources {
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

  /**
   * @param unmappedPort port of a running replica of the same app that ignored its assigned port
   */
  async capacity(hardware: HardwareNeeds, unmappedPort: number | undefined): Promise<Capacity> {
    return capacityFor(this.#needsOf(hardware), await this.#measure(unmappedPort));
  }

  /**
   * Reserves a port and GPUs.
   *
   * @throws ProductError `CLOUD_NO_CAPACITY`, with nothing reserved
   */
  async reserve(
    replica: string,
    hardware: HardwareNeeds,
    unmappedPort: number | undefined,
  ): Promise<ReservedResources> {
    const needs = this.#needsOf(hardware);
    const resources = await this.#measure(unmappedPort);
    const { fits, reason } = capacityFor(needs, resources);
    const need = fittingNeed(needs, resources);
    if (!fits || need === undefined) {
      throw noCapacity(reason ?? "not enough room for another replica");
    }
    const { reservations, portRange } = this.#options;
    const free = (await this.#pool.free()).filter((gpu) => isOfType(gpu, need));
    const gpus = free.slice(0, need.count);
    if (gpus.length < need.count || !this.#pool.reserve(replica, gpus)) {
      throw noCapacity("another replica has just taken the GPU");
    }
    const port = await reservePort(replica, reservations, portRange, Math.random);
    if (port === undefined) {
      reservations.release(replica);
      throw noCapacity("all ports of the port range are in use");
    }
    return { port, gpus: gpus.map(({ uuid }) => uuid) };
  }

  /** Reserves what a running replica holds: a restored backup may lack its reservations. */
  hold(replica: string, { port, gpus }: ReservedResources): void {
    const held = [
      { kind: "port", value: String(port), replica } as const,
      ...gpus.map((value) => ({ kind: "gpu", value, replica }) as const),
    ];
    for (const reservation of held) {
      if (this.#options.reservations.reserve(reservation)) continue;
      this.#options.log(
        `${replica} uses ${reservation.value}, which is reserved for another replica`,
      );
    }
  }

  release(replica: string): void {
    this.#options.reservations.release(replica);
  }

  /** Releases reservations of replicas that do not exist. */
  releaseOthers(replicas: ReadonlySet<string>): void {
    for (const { replica } of this.#options.reservations.list()) {
      if (!replicas.has(replica)) this.release(replica);
    }
  }

  /** Returns the UUIDs that a replica may see; undefined: all. */
  visibleTo(hardware: HardwareNeeds, { gpus }: ReservedResources): string[] | undefined {
    if (gpus.length > 0) return gpus;
    const need = this.#needsOf(hardware).find(({ count }) => count === 0);
    return need === undefined || need.hidesGpus ? gpus : undefined;
  }

  async #measure(unmappedPort: number | undefined): Promise<Resources> {
    const { reservations, portRange } = this.#options;
    return {
      gpus: await this.#pool.list(),
      freeGpus: await this.#pool.free(),
      freePorts: unreservedPorts(reservations, portRange),
      availableMemoryBytes: availableMemoryBytes(),
      unmappedPort,
    };
  }

  /** Returns what the app needs, in order of preference. */
  #needsOf(hardware: HardwareNeeds): [GpuNeed, ...GpuNeed[]] {
    const types = readMachineTypes(this.#options.stateFolder, this.#options.log);
    return inOrder(hardware, (one) => gpuNeedOf(one, types));
  }
}

function noCapacity(reason: string): ProductError {
  return new ProductError(cloudErrors.noCapacity, {
    message: `Cannot start a replica: ${reason}`,
    hint: "Stop another replica or choose other hardware.",
  });
}
