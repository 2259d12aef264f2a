/**
 * An emulated robot for trials, which looks at itself: `emulator-process.js LINK ROBOT`. Orders come as messages: a fault as people type it, `home`
 * or `report`; each is answered with the moment at which it was done, or with what was seen since the last fault.
 */

import { applyFault, Emulator, emulatorKind, SimpleBody } from '../../packages/emulate/src/index.ts';
import { raisedCar } from '../../packages/emulate/src/vesc/car.ts';
import { VescBus } from '../../packages/emulate/src/vesc/vesc-bus.ts';
import { Rng, SystemClock } from '../../src/core/index.ts';
import { raiseThisThread } from '../../src/guard/index.ts';
import { type TrialRobot, trialRobot } from './trial-robots.ts';

/** What comes in. */
export type EmulatorOrder = { readonly fault: string } | { readonly home: true } | { readonly report: true };

/** A moment of the robot, s of the machine's monotonic clock. */
export interface ArmSample {
  readonly atS: number;
  /** Fastest joint, rad/s. */
  readonly speedRadPerS: number;
  /** Servos with torque on; of a car, whether its motor drives. */
  readonly torqued: number;
}

export type EmulatorAnswer = { readonly doneAtS: number } | { readonly samples: readonly ArmSample[] };

const MOST_SAMPLES = 20_000;

const robot = trialRobot(process.argv[3] as TrialRobot);
const { driver, ...model } = robot;
const kind = emulatorKind(driver.kind);
const { baud } = kind;
/** Of a joint's stiffness: what is light for its servo. */
const INERTIA_S2 = 1.6e-3;
/** Dry friction holds it where it lets go, so that each trial begins in its middle; it is off by so much at most, rad. */
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
// A brake lets nothing drive.
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
// As hardware comes before programs.
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
