import { describe, expect, it } from "vitest";
import {
  type MachineReadings,
  MeasuredSpareCores,
} from "../../../source/engine/text/spare-cores.ts";

/** A machine whose time passes when it is told to. */
class Machine implements MachineReadings {
  readonly cores = 4;
  /** What the looks find, one after the other; the last stays. */
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
  it("takes all cores to be free while nothing is known", () => {
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

  it("forgets after a rest who was at work before", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    await cores.refresh();
    expect(cores.count()).toBe(4);
  });

  it("is not misled by one who ends work while it looks", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    machine.looks = [3, 2, 0, 3];
    await cores.refresh();
    expect(cores.count()).toBe(4);
  });

  it("leaves cores to those who are at work at every look", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    machine.looks = [3, 2, 3];
    await cores.refresh();
    expect(cores.count()).toBe(2);
  });

  it("measures anew soon after a look", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 0);
    await cores.refresh();
    machine.pass(100, 0, 1);
    expect(cores.count()).toBe(1);
  });

  it("stays with the measure where the system does not tell", async () => {
    const { machine, cores } = atWork();
    machine.pass(5000, 1);
    machine.looks = [undefined];
    await cores.refresh();
    expect(cores.count()).toBe(1);
  });

  it("does not look around again a moment later", async () => {
    const { machine, cores } = atWork();
    machine.pass(600, 1);
    expect(cores.count()).toBe(1);
    machine.pass(50, 1);
    await cores.refresh();
    expect(cores.count()).toBe(1);
  });
});
