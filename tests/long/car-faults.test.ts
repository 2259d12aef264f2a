/** A car with a VESC at a port of this machine, in real time. Needs `dist/`. */
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { BusRig } from '../../bench/bus-trials/bus-rig.ts';
import { loadRobotFile } from '../../src/config/index.ts';
import { DescriptorLine, type LineStatus, VescReader, vesc } from '../../src/drivers/serial.ts';
import { VescDriver } from '../../src/drivers/vesc/vesc-driver.ts';
import { SystemClock } from '../../src/model/index.ts';
import { createRobotState, HARDWARE } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { describeDriver } from '../contract/driver.contract.ts';
import { Emulated } from '../support/emulated.ts';
import { anyReference, vescOptionsOf } from '../support/emulated-car.ts';
import { faultRow } from '../support/fault-row.ts';

const PERIOD_S = 1 / 50;
/** Others may be using this machine. */
const ANSWER_MS = 50;
const clock = new SystemClock();
const emulated: Emulated[] = [];
afterEach(async () => {
  for (const each of emulated.splice(0)) await each.end();
});

interface SentPacket {
  readonly command: 'duty' | 'current' | 'brake' | 'erpm' | 'other';
  readonly atS: number;
}

const NAMES: Readonly<Record<number, SentPacket['command']>> = {
  [vesc.COMMAND.setDuty]: 'duty',
  [vesc.COMMAND.setCurrent]: 'current',
  [vesc.COMMAND.setBrake]: 'brake',
  [vesc.COMMAND.setRpm]: 'erpm',
};

/** A port's line of which is known what the driver has sent, and when. */
class HeardLine extends DescriptorLine {
  readonly packets: SentPacket[] = [];
  readonly #reader: VescReader = new VescReader((command) => {
    this.packets.push({ command: NAMES[command] ?? 'other', atS: this.clock.nowS() });
  });

  override write(bytes: Uint8Array, length: number): LineStatus {
    const status = super.write(bytes, length);
    this.#reader.push(bytes, 0, length);
    return status;
  }
}

interface Car {
  readonly emulator: Emulated;
  readonly driver: VescDriver;
  readonly model: ReturnType<typeof loadRobotFile>['robot'];
  /** What the driver has sent, each packet with its time. */
  readonly line: () => HeardLine;
}

async function car(drive: Partial<ReturnType<typeof vescOptionsOf>['drive']> = {}): Promise<Car> {
  const emulator = new Emulated(['vesc']);
  emulated.push(emulator);
  await emulator.next('ready');
  const { robot } = loadRobotFile('race-car-vesc');
  const options = vescOptionsOf(robot);
  let line: HeardLine | undefined;
  const driver = new VescDriver({
    model: robot,
    options: { ...options, answerMs: ANSWER_MS, drive: { ...options.drive, ...drive } },
    openLine: ({ baud }) => {
      spawnSync('stty', ['-F', emulator.link, String(baud), 'raw', '-echo', 'min', '0', 'time', '0']);
      line = new HeardLine({ path: emulator.link, baud }, clock);
      return line;
    },
  });
  return { emulator, driver, model: robot, line: () => line! };
}

/** Ticks in real time, `reference` of each tick's number. `heldUpS`: by how much the latest tick was late. */
function run({ driver }: Car, ticks: number, reference: (tick: number) => readonly [number, number] | undefined) {
  const state = createRobotState(2, 0);
  const startS = clock.nowS();
  let missed = 0;
  let heldUpS = 0;
  for (let i = 0; i < ticks; i++) {
    heldUpS = Math.max(heldUpS, clock.nowS() - startS - i * PERIOD_S);
    if (driver.read(state) !== 'ok') missed++;
    const asked = reference(i);
    if (asked !== undefined) driver.write(anyReference(asked));
    while (clock.nowS() < startS + (i + 1) * PERIOD_S);
  }
  return { missed, heldUpS, positionRad: state.positionRad };
}

/** It answers again: five readings in a row are whole, of which a busy machine has some late. */
function readAgain(subject: Car): void {
  let inARow = 0;
  for (let i = 0; i < 50 && inARow < 5; i++) inARow = run(subject, 1, () => undefined).missed === 0 ? inARow + 1 : 0;
  expect(inARow).toBe(5);
}

describeDriver(
  'VESC, at a pseudo-terminal',
  async () => {
    const { driver, model } = await car({ erpmMin: 0, positionGainPerS: 6 });
    return { driver, model };
  },
  5,
);

describe('a car with a VESC, in real time', () => {
  faultRow(
    46,
    'real-time',
    'is neutral 100 ms after the last reference, and its firmware without a word after 200',
    async (promised) => {
      const subject = await car();
      const { driver, line, emulator } = subject;
      await driver.open();
      run(subject, 1, () => undefined);
      driver.torque(1);
      run(subject, 60, (tick) => [0.03 * tick, 0]);
      const last = line().packets.findLast(({ command }) => command === 'erpm')!;
      const { heldUpS } = run(subject, 10, () => undefined);
      const neutral = line().packets.find(({ command, atS }) => command === 'brake' && atS > last.atS)!;
      // Less what a busy machine kept this process from its ticks.
      expect(neutral.atS - last.atS - heldUpS).toBeLessThanOrEqual(promised('neutralS'));
      // Now nobody says a word while it drives: its firmware has to.
      const { positionRad } = run(subject, 40, (tick) => [1.8 + 0.02 * tick, 0]);
      expect(positionRad[0]).toBeGreaterThan(1.5);
      const spokenAtS = line().packets.at(-1)!.atS;
      const isDriven = async (): Promise<boolean> => {
        const { servos } = await emulator.type('state', 'state');
        return (servos as { isTorqueOn: boolean }[])[0]!.isTorqueOn;
      };
      const driven: number[] = [];
      for (let askedS = clock.nowS(); await isDriven(); askedS = clock.nowS()) driven.push(askedS - spokenAtS);
      expect(driven).not.toEqual([]);
      expect(Math.max(...driven)).toBeLessThanOrEqual(0.2);
      await driver.close();
    },
    30_000,
  );

  faultRow(
    10,
    'real-time',
    'whose cable is pulled is lost at once, and goes on when it is back',
    async () => {
      const subject = await car();
      const { driver, emulator } = subject;
      await driver.open();
      driver.torque(1);
      expect(run(subject, 20, (tick) => [0.01 * tick, 0]).missed).toBeLessThan(5);
      await emulator.type('unplug');
      expect(run(subject, 5, () => undefined).missed).toBe(5);
      expect(driver.report.hardwareFaults & HARDWARE.signalLost).not.toBe(0);
      driver.torque(0);
      expect(driver.service('prepare')).toMatchObject({ refusal: expect.any(String) });
      await emulator.type('plug');
      expect(driver.service('prepare')).toBe('done');
      readAgain(subject);
      expect(driver.report.hardwareFaults).toBe(0);
      await driver.close();
    },
    30_000,
  );

  faultRow(
    11,
    'real-time',
    'whose line is full of garbage reads what the car did, or nothing',
    async () => {
      const subject = await car();
      const { driver, emulator } = subject;
      await driver.open();
      driver.torque(1);
      run(subject, 10, () => [0, 0]);
      await emulator.type('noise 2000');
      const { missed, positionRad } = run(subject, 150, (tick) => [0.01 * tick, 0]);
      expect(missed).toBeGreaterThan(0);
      // It goes 0.5 m/s: what was read last is no farther from the truth than it can have gone since.
      expect(positionRad[0]).toBeGreaterThan(-0.1);
      expect(positionRad[0]).toBeLessThan(1.7);
      await emulator.type('noise 0');
      readAgain(subject);
      await driver.close();
    },
    30_000,
  );

  faultRow(
    13,
    'real-time',
    'whose VESC reports a fault, or has started anew, says so within 100 ms',
    async (promised) => {
      const subject = await car();
      const { driver, emulator } = subject;
      await driver.open();
      driver.torque(1);
      run(subject, 10, (tick) => [0.01 * tick, 0]);
      await emulator.type('error 0 4');
      run(subject, Math.round(promised('shownS') / PERIOD_S), () => undefined);
      expect(driver.report.hardwareFaults & HARDWARE.servoFault).not.toBe(0);
      await emulator.type('heal 0');
      run(subject, 5, () => undefined);
      expect(driver.report.hardwareFaults & HARDWARE.servoFault).toBe(0);
      // Far enough that a count which begins anew is seen.
      run(subject, 60, (tick) => [0.1 + 0.03 * tick, 0]);
      await emulator.type('brown-out');
      run(subject, Math.round(promised('shownS') / PERIOD_S), () => undefined);
      expect(driver.report.hardwareFaults & HARDWARE.servoReset).not.toBe(0);
      await driver.close();
    },
    30_000,
  );
});

describe.sequential('a guard over a car with a VESC', () => {
  let rig: BusRig;

  beforeAll(async () => {
    const path = fileURLToPath(new URL('../../dist/bench/bus-trials/bus-rig.js', import.meta.url));
    const bench = (await import(path)) as typeof import('../../bench/bus-trials/bus-rig.ts');
    rig = await bench.BusRig.open('race-car-vesc');
    await rig.start();
  }, 60_000);
  afterAll(() => rig.close());
  beforeEach(() => rig.drive(), 90_000);

  /** From `sinceS` until nothing drives the motor, s. */
  async function released(sinceS: number): Promise<number> {
    for (const endS = sinceS + 5; rig.nowS() < endS; await delay(20)) {
      const off = (await rig.samples()).find(({ atS, torqued }) => atS >= sinceS && torqued === 0);
      if (off !== undefined) return off.atS - sinceS;
    }
    throw new Error(`the motor is driven on\n${rig.log()}`);
  }

  async function driven(): Promise<void> {
    await rig.fault('noise 0');
    for (const endS = rig.nowS() + 20; ; await delay(20)) {
      if ((await rig.samples()).at(-1)?.torqued === 1 && rig.newest().state === 'active.policy') return;
      if (rig.nowS() > endS) throw new Error(`it was not driven: ${rig.newest().state}\n${rig.log()}`);
      if (rig.newest().state !== 'active.policy') await rig.drive();
    }
  }

  faultRow(
    25,
    'real-time',
    'the guard of a car is killed: its motor brakes',
    async () => {
      await driven();
      expect(await released(rig.kill('SIGKILL'))).toBeLessThan(0.1);
      await rig.stop();
      await rig.start();
    },
    60_000,
  );

  faultRow(
    24,
    'real-time',
    'the guard of a car is frozen: its motor brakes',
    async () => {
      await driven();
      const { guardPid } = rig;
      const afterS = await released(rig.kill('SIGSTOP'));
      process.kill(guardPid, 'SIGCONT');
      expect(afterS).toBeLessThan(0.2);
    },
    60_000,
  );

  faultRow(
    10,
    'real-time',
    'the cable of a car is pulled: it is told, and its firmware lets go',
    async () => {
      await driven();
      const pulledS = await rig.fault('unplug');
      expect(await released(pulledS)).toBeLessThan(0.25);
      for (const endS = rig.nowS() + 5; !rig.frames.some(({ flags }) => isRow10(flags)); await delay(5))
        if (rig.nowS() > endS) throw new Error(`nobody was told: ${rig.newest().state}`);
      await rig.fault('plug');
    },
    60_000,
  );
});

function isRow10(flags: number): boolean {
  return faultsOf(flags).some(({ row }) => row === 10);
}
