/**
 * One of two emulated arms, which records itself: `arm-process.js ROBOT LINK leader|follower`. A leader is held by a hand, whose motion is
 * ordered; a follower is moved by its servos. Orders arrive as messages, and each is answered.
 */

import {
  applyFault,
  type EmulatedBody,
  Emulator,
  emulatorKind,
  type FeetechBus,
  SimpleBody,
} from '../../packages/emulate/src/index.ts';
import { loadRobotFile } from '../../src/config/index.ts';
import type { ServoConfig } from '../../src/drivers/serial.ts';
import { raiseThisThread } from '../../src/guard/index.ts';
import { type Clock, Rng, SystemClock } from '../../src/model/index.ts';

export type ArmOrder =
  | { readonly fault: string }
  /** Moves the hand there, each joint at constant speed. */
  | { readonly handRad: readonly number[]; readonly overS: number }
  | { readonly report: true };

/** Joint positions at a time, rad and s of the machine's monotonic clock. */
export interface Pose {
  readonly atS: number;
  readonly jointsRad: readonly number[];
}

/** `goals`: each goal received over the bus, with its time. `torqued`: number of servos with torque on. */
export type ArmAnswer =
  | { readonly doneAtS: number }
  | { readonly poses: readonly Pose[]; readonly goals: readonly Pose[]; readonly torqued: number };

/** Arm held by a hand, which determines its position. */
class HandBody implements EmulatedBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: ReadonlyMap<string, number> = new Map();
  readonly stepS: number = 0.001;
  readonly #clock: Clock;
  #from: Float64Array;
  #to: readonly number[];
  #startS = 0;
  #overS = 0;

  constructor(startRad: readonly number[], clock: Clock) {
    this.positionRad = Float64Array.from(startRad);
    this.velocityRadPerS = new Float64Array(startRad.length);
    this.torqueNm = new Float64Array(startRad.length);
    this.#clock = clock;
    this.#from = this.positionRad.slice();
    this.#to = startRad;
  }

  go(toRad: readonly number[], overS: number): void {
    this.#from = this.positionRad.slice();
    this.#to = toRad;
    this.#startS = this.#clock.nowS();
    this.#overS = overS;
  }

  step(): void {
    const share = this.#overS === 0 ? 1 : Math.min(1, (this.#clock.nowS() - this.#startS) / this.#overS);
    for (let i = 0; i < this.positionRad.length; i++) {
      this.positionRad[i] = this.#from[i]! + share * (this.#to[i]! - this.#from[i]!);
    }
  }

  close(): void {}
}

const MOST_POSES = 100_000;

const [name, link, role] = process.argv.slice(2);
const { robot } = loadRobotFile(name!);
const { baud } = robot.driver as ServoConfig;
const clock = new SystemClock();
const hand = new HandBody(robot.homeRad, clock);
// Dry friction holds the arm where it is released.
const body =
  role === 'leader'
    ? hand
    : new SimpleBody(robot.homeRad.map((startRad) => ({ startRad, inertiaKgM2: 0.03, frictionNm: 0.05 })));
const bus = emulatorKind('feetech').create({ robot, body, baud, rng: new Rng(1) }) as FeetechBus;
const emulator = new Emulator({ bus, baud, clock, rng: new Rng(2), link });
const abort = new AbortController();
let [poses, goals]: [Pose[], Pose[]] = [[], []];

/** Checked with every step of the body, 2 ms apart while the host talks; allocates nothing while no goal is new. */
const goalCounts = new Float64Array(bus.servos.length).fill(Number.NaN);
const step = body.step.bind(body);
body.step = () => {
  step();
  let isNew = false;
  for (let i = 0; i < goalCounts.length; i++) {
    const counts = bus.servos[i]!.registers.get('goalPosition');
    isNew ||= counts !== goalCounts[i];
    goalCounts[i] = counts;
  }
  if (!isNew || goals.length >= MOST_POSES) return;
  const jointsRad = bus.servos.map(({ spec }, i) => (goalCounts[i]! - spec.zeroCounts) / spec.countsPerUnit);
  goals.push({ atS: clock.nowS(), jointsRad });
};

process.on('disconnect', () => abort.abort());
process.on('message', (order: ArmOrder) => process.send?.(obeyed(order)));
// Hardware has priority over programs, hence real time.
raiseThisThread();
emulator.plug();
process.send?.({ doneAtS: clock.nowS() } satisfies ArmAnswer);
await emulator.run(abort.signal, () => {
  if (poses.length < MOST_POSES) poses.push({ atS: clock.nowS(), jointsRad: [...body.positionRad] });
});
process.exit(0);

function obeyed(order: ArmOrder): ArmAnswer {
  if ('report' in order) {
    const answer = { poses, goals, torqued: bus.states().filter(({ isTorqueOn }) => isTorqueOn).length };
    [poses, goals] = [[], goals.slice(-1)];
    return answer;
  }
  if ('fault' in order) applyFault(emulator, order.fault);
  else hand.go(order.handRad, order.overS);
  return { doneAtS: clock.nowS() };
}
