/** Dips of the supply of emulated servos and VESCs, and what moved by itself because of them. */
import { expect } from 'vitest';
import type { ServoFamily } from '../../src/drivers/serial.ts';
import { activate, createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import type { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import { Rng } from '../../src/model/index.ts';
import { jointSpec } from './adversary.ts';
import { BusClock, type ServoRig, servoRig } from './emulated-servos.ts';
import { guardedCar } from './guarded-car.ts';

const DURATION_S = [0.05, 3] as const;
/** Once all are back. */
const AFTER_S = 0.3;
/** How fast a joint without torque sinks here. */
const SINK_RAD_PER_S = 0.4;
/** What a joint may rise by that was pulled nowhere: it swings out. */
const RISE_RAD = 0.02;

const STATES = ['ready', 'active', 'brake', 'ramp', 'prepare', 'turnOn'] as const;
type State = (typeof STATES)[number];

/** Servos and arms of them. */
interface Servo {
  readonly id: number;
  readonly isTorqueOn: boolean;
}

/** What went wrong: torque that nobody asked for, and joints that rose. */
interface Found {
  torqueOn: number;
  rose: number;
}

/** From now on the servos of `ids` have no power for `durationS`, once the line's time has come to `atS`. Counts what comes of it. */
function dip(rig: ServoRig, { ids, atS, durationS }: Dip): { found: Found; isAsked: boolean } {
  const watch = { found: { torqueOn: 0, rose: 0 }, isAsked: false };
  const { body, bus, line } = rig;
  const servos = (bus as unknown as { servos: readonly Servo[] }).servos;
  const step = body.step.bind(body);
  const lowest = new Float64Array(body.positionRad.length).fill(Number.POSITIVE_INFINITY);
  const wasOn = servos.map(({ isTorqueOn }) => isTorqueOn);
  let hasDipped = false;
  body.step = () => {
    step();
    if (!hasDipped && line.clock.nowS() >= atS) {
      hasDipped = true;
      for (const id of ids) bus.faultsOf(id)!.unpoweredS = durationS;
    }
    for (const [i, { id, isTorqueOn }] of servos.entries()) {
      const isPowered = bus.faultsOf(id)!.unpoweredS === 0;
      if (!isPowered || !isTorqueOn) {
        body.positionRad[i] = body.positionRad[i]! - SINK_RAD_PER_S * body.stepS;
        body.velocityRadPerS[i] = 0;
      }
      if (isPowered && isTorqueOn && !wasOn[i] && !watch.isAsked) watch.found.torqueOn++;
      wasOn[i] = isPowered && isTorqueOn;
      if (!hasDipped || !ids.includes(id)) continue;
      lowest[i] = Math.min(lowest[i]!, body.positionRad[i]!);
      if (body.positionRad[i]! <= lowest[i]! + RISE_RAD) continue;
      watch.found.rose++;
      lowest[i] = body.positionRad[i]!;
    }
  };
  return watch;
}

interface Dip {
  readonly ids: readonly number[];
  readonly atS: number;
  readonly durationS: number;
}

function randomDip(rng: Rng, ids: readonly number[], atS: number): Dip {
  const [least, most] = DURATION_S;
  const some = ids.filter(() => rng.uniform() < 0.5);
  return {
    ids: some.length > 0 ? some : [ids[Math.floor(rng.uniform() * ids.length)]!],
    atS,
    durationS: least * (most / least) ** rng.uniform(),
  };
}

/** Drives every joint down as a policy does, a tenth of a second. */
class Policy {
  readonly #command = createActionCommand(6);
  readonly #rig: ServoRig;
  readonly #link: MemoryGuardLink;

  constructor(rig: ServoRig, link: MemoryGuardLink) {
    this.#rig = rig;
    this.#link = link;
    this.#command.decider = 'policy';
    this.#command.leaseS = 0.2;
    this.#command.action.fill(-0.5);
  }

  async act(): Promise<void> {
    this.#command.seq++;
    this.#command.issuedAtS = this.#rig.line.clock.nowS();
    this.#link.send(this.#command);
    await this.#link.advance(this.#rig.robot.controlHz / 10);
  }
}

/** One dip in `state`; what it did. */
async function trial(robot: string, family: ServoFamily, state: State, seed: number): Promise<Found> {
  const rig = servoRig({ robot, family, seed });
  const { driver, line } = rig;
  const { driver: _, ...model } = rig.robot;
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action: jointSpec(model, 0.1),
    policyPeriodS: 0.1,
    clock: new BusClock(rig),
  });
  const rng = new Rng(seed).fork(state);
  const policy = new Policy(rig, link);
  try {
    await driver.open();
    driver.service('passFirstMotion');
    await link.advance(2);
    const isAsking = state === 'prepare' || state === 'turnOn';
    if (!isAsking) {
      expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
      await link.advance(2);
      driver.service('passFirstMotion');
      if (state !== 'ready') expect(await activate(link)).toEqual({ ok: true });
      if (state !== 'ready') for (let k = 0; k < 3; k++) await policy.act();
    }
    if (state === 'ramp') {
      await link.request({ kind: 'disable' });
      await link.advance(10);
    }
    // What is asked for takes 0.1 to 0.2 s, at the end of which torque comes on.
    const inS = isAsking ? (state === 'prepare' ? 0 : 0.06) + rng.uniform() * 0.08 : rng.uniform() * 0.04;
    const chosen = randomDip(rng, rig.bus.ids, line.clock.nowS() + inS);
    const watch = dip(rig, chosen);
    if (state === 'brake') await link.request({ kind: 'stop' });
    if (isAsking) {
      watch.isAsked = true;
      await link.request({ kind: 'enable' });
      // Two ticks more in which it may still come on.
      await link.advance(3);
      watch.isAsked = false;
    }
    const endS = chosen.atS + chosen.durationS + AFTER_S;
    while (line.clock.nowS() < endS) {
      if (state === 'active') await policy.act();
      else await link.advance(5);
    }
    return watch.found;
  } finally {
    await driver.close();
    rig.remove();
  }
}

/** Dips of an arm's servos with the seeds up to `dips`, in one state after the other; those after which something moved by itself. */
export async function dipsOfArm(robot: string, family: ServoFamily, dips: number): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (let seed = 0; seed < dips; seed++) {
    const state = STATES[seed % STATES.length]!;
    const found = await trial(robot, family, state, seed);
    if (found.torqueOn > 0 || found.rose > 0) wrong.push({ seed, state, ...found });
  }
  return wrong;
}

/** The same of a car's VESC, while it drives or is stopped: those after which it was driven or steered. */
export async function dipsOfCar(dips: number): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (let seed = 0; seed < dips; seed++) {
    const rng = new Rng(seed);
    const car = await guardedCar({ seed });
    car.driver.service('passFirstMotion');
    await car.link.request({ kind: 'activate' });
    await car.ahead(20 + Math.floor(rng.uniform() * 40));
    if (seed % 2 === 0) await car.link.request({ kind: 'stop' });
    const { durationS } = randomDip(rng, [0], 0);
    const { faults } = car.bus;
    faults.unpoweredS = durationS;
    while (faults.unpoweredS > 0) await car.ahead(1);
    for (let tick = 0; tick < 25; tick++) {
      await car.ahead(1);
      const { command, servo } = car.bus;
      if (command.kind === 'erpm' || command.kind === 'duty' || servo !== 0.5)
        wrong.push({ seed, command, servo, durationS });
    }
    await car.driver.close();
  }
  return wrong;
}
