/**
 * Emulated robot for trials, which records itself: `emulator-process.js LINK ROBOT`. Orders arrive as messages: a fault as typed to the
 * emulator, `home` or `report`; each is answered with the time of its execution, or with the samples since the last fault.
 */

import { applyFault, Emulator, emulatorKind, SimpleBody } from '../../packages/emulate/src/index.ts';
import { raisedCar } from '../../packages/emulate/src/vesc/car.ts';
import { VescBus } from '../../packages/emulate/src/vesc/vesc-bus.ts';
import { raiseThisThread } from '../../src/guard/index.ts';
import { Rng, SystemClock } from '../../src/model/index.ts';
import { type TrialRobot, trialRobot } from './trial-robots.ts';

/** Incoming message. */
export type EmulatorOrder = { readonly fault: string } | { readonly home: true } | { readonly report: true };

/** Sample of the robot; time in s of the machine's monotonic clock. */
export interface ArmSample {
  readonly atS: number;
  /** Fastest joint, rad/s. */
  readonly speedRadPerS: number;
  /** Servos with torque on; for a car, 1 if its motor drives. */
  readonly torqued: number;
}

export type EmulatorAnswer = { readonly doneAtS: number } | { readonly samples: readonly ArmSample[] };

const MOST_SAMPLES = 20_000;

const robot = trialRobot(process.argv[3] as TrialRobot);
const { driver, ...model } = robot;
const kind = emulatorKind(driver.kind);
const { baud } = kind;
/** Inertia as a multiple of a joint's stiffness: a light load for its servo. */
const INERTIA_S2 = 1.6e-3;
/** Dry friction holds the arm where it is released, so that each trial begins in its middle; the deviation is at most this, rad. */
const FRICTION_RAD = 2.5e-3;
const body =
  robot.base === undefined
    ? new SimpleBody(
        model.joints.map(({ stiffnessNmPerRad }, i) => ({
          startRad: model.homeRad[i]!,
          inertiaKgM2: INERTIA_S2 * stiffnessNmPerRad,
          frictionNm: FRICTION_RAD * stiffnessNmPerRad,
        })),
      )
    : raisedCar(robot);
const bus = kind.create({ robot, body, baud, rng: new Rng(1) });
// A braked motor is not driven.
const isBraked = (): boolean => bus instanceof VescBus && bus.command.kind === 'brake';
const clock = new SystemClock();
const emulator = new Emulator({ bus, baud, clock, rng: new Rng(2), link: process.argv[2] });
let samples: ArmSample[] = [];
const abort = new AbortController();

process.on('disconnect', () => abort.abort());
process.on('message', (order: EmulatorOrder) => {
  if ('report' in order) {
    process.send?.({ samples } satisfies EmulatorAnswer);
    return;
  }
  samples = [];
  if ('home' in order) {
    body.positionRad.set(model.homeRad);
    body.velocityRadPerS.fill(0);
  } else for (const fault of order.fault.split(';')) applyFault(emulator, fault);
  process.send?.({ doneAtS: clock.nowS() } satisfies EmulatorAnswer);
});
// Hardware has priority over programs, hence real time.
raiseThisThread();
emulator.plug();
process.send?.({ doneAtS: clock.nowS() } satisfies EmulatorAnswer);
await emulator.run(abort.signal, () => {
  if (samples.length >= MOST_SAMPLES) samples.shift();
  samples.push({
    atS: clock.nowS(),
    speedRadPerS: Math.max(...body.velocityRadPerS.map(Math.abs)),
    torqued: isBraked() ? 0 : bus.states().filter(({ isTorqueOn }) => isTorqueOn).length,
  });
});
process.exit(0);
