/** Driver kind of a car with a VESC on a serial port. */
import { ReinError, type RobotModel } from '../../model/index.ts';
import { modelSource } from '../../plant/index.ts';
import type { DriverKind } from '../driver-kind.ts';
import { VESC_SIGNALS, type VescConfig, type VescDriverOptions, vescOptions, vescSchema } from './options.ts';

/** At a lower control rate, the driver itself could not be neutral within 100 ms (row 46). */
const LEAST_HZ = 30;
/** Tolerance, as angles are rounded to a thousandth of the servo's range. */
const SERVO_ROUNDING = 0.002;

export const vescKind: DriverKind<VescConfig, VescDriverOptions> = {
  kind: 'vesc',
  schema: vescSchema,
  options: vescOptions,
  needs: 'serial',
  world: () => 'real',
  arrangesScene: () => false,
  model: modelSource,
  signals: () => VESC_SIGNALS,
  problems: ({ battery, steering }) => {
    const found: string[] = [];
    if (steering.perRad === 0) found.push('driver.steering.perRad is 0: nothing would steer');
    if (battery !== undefined && !(battery.stopV <= battery.slowV && battery.slowV <= battery.warnV)) {
      found.push('driver.battery needs stopV ≤ slowV ≤ warnV: the warning comes first, the stop last');
    }
    return found;
  },
  withPaths: (config, from, named) => ({
    ...config,
    named,
    ...(config.model === undefined ? {} : { model: from(config.model) }),
  }),
  optionsOf: ({ kind: _, model: __, named: ___, ...options }, { robot, task, signalNames }) => {
    checkRobot(robot, options.steering);
    const silent = signalNames.find((name) => !(VESC_SIGNALS as readonly string[]).includes(name));
    if (silent !== undefined) {
      throw new ReinError('config', `Robot ${robot.name} has no signal ${silent}, which task ${task} needs.`, {
        remedy: `A VESC measures ${VESC_SIGNALS.join(', ')}.`,
      });
    }
    return { ...options, signalNames: [...signalNames] };
  },
  create: async (options, { model, openLine }) => {
    if (openLine === undefined) throw new ReinError('driver', 'A robot on a serial port is driven by a guard only.');
    const { VescDriver } = await import('./vesc-driver.ts');
    return new VescDriver({ model, options, openLine });
  },
};

function checkRobot({ name, base, controlHz }: RobotModel, steering: VescConfig['steering']): void {
  if (base?.kind !== 'ackermann') {
    throw new ReinError('config', `${name} has no Ackermann steering, which is what a VESC with a servo drives.`, {
      remedy: 'Give it a base of the kind ackermann.',
    });
  }
  if (controlHz < LEAST_HZ) {
    throw new ReinError('config', `${name} has a controlHz of ${controlHz}, and a VESC needs ${LEAST_HZ} or more.`, {
      remedy: 'A car that receives no command is neutral within 100 ms (row 46): three ticks at 30 Hz.',
    });
  }
  const { centre, perRad, min, max } = steering;
  for (const angleRad of [-base.steeringMaxRad!, base.steeringMaxRad!]) {
    const servo = centre + perRad * angleRad;
    if (servo >= min - SERVO_ROUNDING && servo <= max + SERVO_ROUNDING) continue;
    const reachRad = Math.min(Math.abs((max - centre) / perRad), Math.abs((centre - min) / perRad));
    throw new ReinError(
      'config',
      `${name} steers by ${base.steeringMaxRad} rad, and its servo reaches ${reachRad.toFixed(3)}.`,
      {
        remedy: `Set base.steeringMaxRad to ${Math.floor(1000 * reachRad) / 1000}, or let driver.steering go farther.`,
      },
    );
  }
}
