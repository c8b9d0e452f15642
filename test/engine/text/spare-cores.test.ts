import { describe, expect, it } from "vitest";
import {
  type MachineReadings,
  MeasuredSpareCores,
} from "../../../source/engine/text/spare-cores.ts";

/** A machine with a simulated clock. */
class Machine implements MachineReadings {
  readonly cores = 4;
  /** Results of the samples in order; the last one repeats. */
  looks: Array<number | undefined> = [0];
  #now = 0;
  #idle = 0;
  #own = 0;

  /** @param idle cores without work @param own cores that the process itself keeps busy */
  pass(milliseconds: number, idle: number, own = 0): void {
    this.#now += milliseconds;
    this.#idle += idle * milliseconds;
    this.#own += own * milliseconds;
  }

  idleMs = () => this.#idle;
  ownMs = () => this.#own;
  now = () => this.#now;
  othersRunning = () => (this.looks.length > 1 ? this.looks.shift() : this.looks[0]);
  wait = async (milliseconds: number) => this.pass(milliseconds, 0);
}

function atWork(): { machine: Machine; cores: MeasuredSpareCores } {
  const machine = new Machine();
  return { machine, cores: new MeasuredSpareCores(machine) };
}

describe("MeasuredSpareCores", () => {
  it("counts all cores as free before the first measurement", () => {
    expect(atWork().cores.count()).toBe(4);
  });

  it("counts idle cores and those of the process itself", () => {
    const { machine, cores } = atWork();
    machine.pass(600, 1, 2);
    expect(cores.count()).toBe(3);
  });

  it("keeps a measure for half a second", () => {
    const { machine, cores } = atWork();
    machine.pass(600, 1);
    expect(cores.count()).toBe(1);
    machine.pass(400, 4);
    expect(cores.count()).toBe(1);
    machine.pass(100, 4);
    expect(cores.count()).toBe(4);
  });

  it("forgets after a pause which programs were busy before", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    await cores.refresh();
    expect(cores.count()).toBe(4);
  });

  it("is not misled by a program that finishes between samples", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    machine.looks = [3, 2, 0, 3];
    await cores.refresh();
    expect(cores.count()).toBe(4);
  });

  it("leaves cores to programs that are busy in every sample", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    machine.looks = [3, 2, 3];
    await cores.refresh();
    expect(cores.count()).toBe(2);
  });

  it("measures again soon after sampling", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    await cores.refresh();
    machine.pass(100, 0, 1);
    expect(cores.count()).toBe(1);
  });

  it("keeps the measurement if the system cannot sample", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 1);
    machine.looks = [undefined];
    await cores.refresh();
    expect(cores.count()).toBe(1);
  });

  it("does not sample again a moment later", async () => {
    const { machine, cores } = atWork();
    machine.pass(600, 1);
    expect(cores.count()).toBe(1);
    machine.pass(50, 1);
    await cores.refresh();
    expect(cores.count()).toBe(1);
  });
});
