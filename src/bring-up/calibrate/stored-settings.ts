/** Settings that calibrating stores in servos permanently: listed register by register, and written after a yes. */

import { type BrokenRule, brokenRules, type JointCalibration, type Motor } from '../../drivers/serial.ts';
import { ReinError } from '../../model/index.ts';
import type { ServoArm, StoredSetting } from '../families.ts';
import { confirm, type Guide } from '../guide.ts';
import type { ServoAccess } from '../servo-access.ts';
import { lowOverload } from './overload.ts';

/** Arm at an open port, and the operator beside it. */
export interface OpenArm {
  readonly arm: ServoArm;
  readonly guide: Guide;
  /** Registers of servo `id`, one of the arm's. Throws `ReinError` if the port is lost. */
  readonly access: (id: number) => ServoAccess;
}

/** Setting that a servo does not have yet. */
interface Change extends StoredSetting {
  readonly motor: Motor;
  readonly servo: ServoAccess;
  /** Present raw value of the register; `undefined` if the servo does not answer. */
  readonly now: number | undefined;
}

/** Change with the consequence of the present value, if known. */
type Told = Change & { readonly otherwise?: string };

const LOOK_AT = 'Look at its supply and cable, and try again.';

/**
 * For the joints `names`, clears bits that must be 0 in driven servos, sets the operating mode, and removes offsets that it ignores: after
 * a yes, and before the first reading, so that joints are measured as they are driven. Throws `ReinError` on a no, and for a servo that
 * does not answer or does not keep a setting.
 */
export async function storeBeforeMeasuring(open: OpenArm, names: readonly string[]): Promise<void> {
  const { arm, guide } = open;
  const motors = arm.motors.filter(({ name }) => names.includes(name));
  const changes: readonly Told[] = [
    ...motors.flatMap((motor) => [
      ...bitsToClear(open, motor),
      ...changesOf(open, motor, drivenSettings(open, motor), answered),
    ]),
    ...arm.servos
      .filter(({ name, shadowOf }) => names.includes(shadowOf?.name ?? name))
      .flatMap((motor) => ruledChanges(open, motor, 'motion')),
  ];
  if (changes.length === 0) return;
  sayChanges(guide, 'To be stored in the servos before they are measured, for good:', changes);
  if (!(await confirm(guide, 'Write that? Otherwise its readings are not positions.', 'no'))) {
    throw new ReinError('config', 'Nothing was measured: the servos read otherwise than they are driven.', {
      remedy: `Have it written, or set it with their maker's program; then: rein calibrate --robot ${arm.named}`,
    });
  }
  for (const change of changes) {
    if (!write(change)) throw new ReinError('driver', notKept(change), { remedy: LOOK_AT });
  }
}

/**
 * Stores response settings of the servos, a firm gripper's overload and, for `ranges` in the servos, those of `joints`: after a yes. A
 * setting that a servo does not keep is reported, and the rest continues.
 */
export async function storeAfterMeasuring(
  open: OpenArm,
  joints: Readonly<Record<string, JointCalibration>>,
  ranges: 'file' | 'servos',
): Promise<void> {
  const { arm, guide, access } = open;
  const changes = arm.motors.flatMap((motor): readonly Told[] => {
    const overload = lowOverload(motor, access(motor.id));
    const range = ranges === 'servos' ? rangeSettings(joints[motor.name]!) : [];
    const settings = [...arm.bus.stored, ...(overload === undefined ? [] : [overload]), ...range];
    return changesOf(open, motor, settings, (servo, register) => servo.read(register));
  });
  changes.push(...arm.servos.flatMap((motor) => ruledChanges(open, motor, 'protection')));
  if (changes.length === 0) return;
  sayChanges(guide, 'To be stored in the servos, for good:', changes);
  if (!(await confirm(guide, 'Write that?', 'no'))) {
    guide.say('Nothing was written to the servos.');
    return;
  }
  for (const change of changes) {
    if (!write(change)) guide.say(`${notKept(change)} The rest goes on.`);
  }
}

/** Stored settings of a servo that change the meaning of its readings, its goals or its protection. */
function ruledChanges({ arm, access }: OpenArm, motor: Motor, changes: BrokenRule['changes']): readonly Told[] {
  const { family } = arm.bus;
  const servo = access(motor.id);
  const rules = family.storedRules(motor).filter((rule) => rule.changes === changes);
  const broken = brokenRules(motor, rules, (register) => answered(servo, register, motor));
  const registers = [...new Set(broken.map(({ register }) => register))];
  return registers.map((register): Told => {
    const own = broken.filter((rule) => rule.register === register);
    const now = own[0]!.found;
    // Several of its bits may be wrong.
    const value = own.reduce((held, { bits, wanted }) => (bits === undefined ? wanted : (held & ~bits) | wanted), now);
    return {
      motor,
      servo,
      register,
      now,
      value,
      why: '',
      otherwise: own.map(({ consequence }) => consequence).join('; '),
    };
  });
}

function drivenSettings({ arm, access }: OpenArm, motor: Motor): readonly StoredSetting[] {
  const { family } = arm.bus;
  const servo = access(motor.id);
  const offset = servo.has('homingOffset') ? answered(servo, 'homingOffset', motor) : 0;
  const isIgnored = Math.abs(offset) > family.offsetMaxCounts(motor);
  const isRuled = family.storedRules(motor).some(({ register }) => register === 'operatingMode');
  return [
    ...(isRuled
      ? []
      : [{ register: 'operatingMode', value: family.operatingMode(motor), why: 'it reads as it is driven' }]),
    ...(isIgnored
      ? [{ register: 'homingOffset', value: 0, why: 'it has none that it ignores, or that its watchdog walks on with' }]
      : []),
  ];
}

function rangeSettings({ minCounts, maxCounts }: JointCalibration): readonly StoredSetting[] {
  const why = 'it keeps to its range';
  return [
    { register: 'positionMin', value: minCounts, why },
    { register: 'positionMax', value: maxCounts, why },
  ];
}

/**
 * Bits that must be 0 in driven servos. A second servo, which is mounted the other way round, then has its own reversed as well; as it
 * obeys the first one's requests, it is written last.
 */
function bitsToClear({ arm, access }: OpenArm, motor: Motor): readonly Change[] {
  const { clearBits } = arm.bus.family;
  const first = access(motor.id);
  if (clearBits === undefined || !first.has(clearBits.register)) return [];
  const { register, bits, turns, why } = clearBits;
  const now = answered(first, register, motor);
  if ((now & bits) === 0) return [];
  const own = { motor, servo: first, register, now, value: now & ~bits, why };
  const second = arm.servos.find(({ shadowOf }) => shadowOf?.id === motor.id);
  if (second === undefined || (now & turns) === 0) return [own];
  const servo = access(second.id);
  const before = answered(servo, register, second);
  const value = before ^ turns;
  return [own, { motor: second, servo, register, now: before, value, why: 'it turns as the first one does' }];
}

/** Returns those of `settings` that the servo of `motor` supports but does not have. */
function changesOf(
  { access }: OpenArm,
  motor: Motor,
  settings: readonly StoredSetting[],
  read: (servo: ServoAccess, register: string, motor: Motor) => number | undefined,
): readonly Change[] {
  const servo = access(motor.id);
  return settings
    .filter(({ register }) => servo.has(register))
    .map((setting) => ({ ...setting, motor, servo, now: read(servo, setting.register, motor) }))
    .filter(({ now, value }) => now !== value);
}

/** Raw value of a register that the model has. Throws `ReinError('driver')` if its servo does not answer. */
function answered(servo: ServoAccess, register: string, motor: Motor): number {
  const now = servo.read(register);
  if (now !== undefined) return now;
  throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) reports no ${register}.`, { remedy: LOOK_AT });
}

function sayChanges(guide: Guide, heading: string, changes: readonly Told[]): void {
  guide.say(heading);
  for (const { motor, register, now, value, why, otherwise } of changes) {
    const reason = otherwise === undefined ? `, so that ${why}` : `; now ${otherwise}`;
    guide.say(`  servo ${motor.id} (${motor.name}): ${register} ${now ?? '?'} → ${value}${reason}`);
  }
}

/** Returns false if the servo did not accept it, or did not answer. */
function write({ servo, register, value }: Change): boolean {
  return servo.set(register, value);
}

function notKept({ motor, register, value }: Change): string {
  return `Servo ${motor.id} (${motor.name}) does not keep ${register} ${value}.`;
}
