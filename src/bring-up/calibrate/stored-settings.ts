/** What calibrating writes into servos for good: said register by register, and written after a yes. */
import { ReinError } from '../../core/index.ts';
import type { JointCalibration, Motor } from '../../drivers/serial.ts';
import type { ServoArm, StoredSetting } from '../families.ts';
import { confirm, type Guide } from '../guide.ts';
import type { ServoAccess } from '../servo-access.ts';
import { lowOverload } from './overload.ts';

/** An arm whose servos answer. */
export interface ArmAtHand {
  readonly arm: ServoArm;
  readonly guide: Guide;
  /** Registers of servo `id`, which is one of the arm's. */
  access(id: number): ServoAccess;
}

/** A setting that a servo does not have yet. */
interface Change extends StoredSetting {
  readonly motor: Motor;
  readonly servo: ServoAccess;
  /** What stands there; `undefined` where it does not answer. */
  readonly now: number | undefined;
}

/**
 * What is measured has to be what is driven: of the joints in `names` the mode is set, and an offset that would be ignored in it is
 * none. Throws `ReinError` without a yes, or where a servo does not keep it.
 */
export async function storeBeforeMeasuring(at: ArmAtHand, names: readonly string[]): Promise<void> {
  const { arm, guide } = at;
  const motors = arm.motors.filter(({ name }) => names.includes(name));
  const changes = motors.flatMap((motor) => [
    ...withoutBits(at, motor),
    ...changesOf(at, motor, drivenSettings(at, motor)),
  ]);
  if (changes.length === 0) return;
  say(guide, 'To be stored in the servos before they are measured, for good:', changes);
  if (!(await confirm(guide, 'Write that? Its readings are no positions else.', 'no'))) {
    throw new ReinError('config', 'Nothing was measured: the servos read otherwise than they are driven.', {
      remedy: `Have it written, or set it with their maker's program; then: rein calibrate --robot ${arm.named}`,
    });
  }
  for (const change of changes) {
    if (isKept(change)) continue;
    throw new ReinError('driver', notKept(change), { remedy: 'Look at its supply and cable, and try again.' });
  }
}

/** What serves an arm that is driven by `joints`; with `ranges` in its servos they keep to those by themselves. A no changes nothing. */
export async function storeAfterMeasuring(
  at: ArmAtHand,
  joints: Readonly<Record<string, JointCalibration>>,
  ranges: 'file' | 'servos',
): Promise<void> {
  const { arm, guide } = at;
  const changes = arm.motors.flatMap((motor) => {
    const overload = lowOverload(motor, at.access(motor.id));
    const range = ranges === 'servos' ? rangeSettings(joints[motor.name]!) : [];
    return changesOf(at, motor, [...arm.bus.stored, ...(overload === undefined ? [] : [overload]), ...range]);
  });
  if (changes.length === 0) return;
  say(guide, 'To be stored in the servos, for good:', changes);
  if (!(await confirm(guide, 'Write that?', 'no'))) {
    guide.say('Nothing was written to the servos.');
    return;
  }
  for (const change of changes) {
    if (!isKept(change)) guide.say(`${notKept(change)} The rest goes on.`);
  }
}

function drivenSettings({ arm, access }: ArmAtHand, motor: Motor): readonly StoredSetting[] {
  const { family } = arm.bus;
  const offset = access(motor.id).read('homingOffset') ?? 0;
  const isIgnored = Math.abs(offset) > family.offsetMaxCounts(motor);
  return [
    { register: 'operatingMode', value: family.operatingMode(motor), why: 'it reads as it is driven' },
    ...(isIgnored ? [{ register: 'homingOffset', value: 0, why: 'it has none that it ignores' }] : []),
  ];
}

function rangeSettings({ minCounts, maxCounts }: JointCalibration): readonly StoredSetting[] {
  const why = 'it keeps to its range';
  return [
    { register: 'positionMin', value: minCounts, why },
    { register: 'positionMax', value: maxCounts, why },
  ];
}

/** Those of `settings` that the servo of `motor` can have, and has not. */
function changesOf({ access }: ArmAtHand, motor: Motor, settings: readonly StoredSetting[]): readonly Change[] {
  const servo = access(motor.id);
  return settings
    .filter(({ register }) => servo.has(register))
    .map((setting) => ({ ...setting, motor, servo, now: servo.read(setting.register) }))
    .filter(({ now, value }) => now !== value);
}

/**
 * Bits that are not driven; a second servo, which is mounted the other way round, then has its own the other way round, too: as it
 * obeys the first one, that is written last.
 */
function withoutBits(at: ArmAtHand, motor: Motor): readonly Change[] {
  const { clearBits } = at.arm.bus.family;
  if (clearBits === undefined) return [];
  const { register, bits, turns, why } = clearBits;
  const now = at.access(motor.id).read(register);
  if (now === undefined || (now & bits) === 0) return [];
  const own = changesOf(at, motor, [{ register, value: now & ~bits, why }]);
  const second = at.arm.servos.find(({ shadowOf }) => shadowOf?.id === motor.id);
  if (second === undefined || (now & turns) === 0) return own;
  const before = at.access(second.id).read(register);
  // Neither without the other: they would turn against each other.
  if (before === undefined) return [];
  return [
    ...own,
    ...changesOf(at, second, [{ register, value: before ^ turns, why: 'it turns as the first one does' }]),
  ];
}

function say(guide: Guide, heading: string, changes: readonly Change[]): void {
  guide.say(heading);
  for (const { motor, register, now, value, why } of changes) {
    guide.say(`  servo ${motor.id} (${motor.name}): ${register} ${now ?? '?'} → ${value}, so that ${why}`);
  }
}

function isKept({ servo, register, value }: Change): boolean {
  return servo.set(register, value);
}

function notKept({ motor, register, value }: Change): string {
  return `Servo ${motor.id} (${motor.name}) does not keep ${register} ${value}.`;
}
