/** Stored registers required of Feetech servos. Source: the memory tables named in `models.ts`. */
import type { ServoModel, StoredRule } from '../servo/protocol.ts';
import { STATUS_ERROR } from './protocol.ts';

/** Bits of `phase`. */
const PHASE = { fineSpeed: 4, zeroSpeedIsMost: 8, countsTurns: 16 } as const;
/** Errors on which the servo must switch torque off by itself. */
const UNLOADING = STATUS_ERROR.temperature | STATUS_ERROR.current | STATUS_ERROR.overload;

/**
 * Returns the rules of both series; those of missing registers do not apply. Ranges enclose factory values, for servos
 * of 6 to 12 V.
 */
export function feetechRules(model: ServoModel): readonly StoredRule[] {
  const last = Math.round(model.goalMaxCounts ?? model.countsPerTurn - 1);
  const volts = model.name.endsWith('_12v') || model.name === 'sts3250' ? 140 : 80;
  const bit = (bits: number, wanted: number, consequence: string): StoredRule => {
    return { register: 'phase', bits, least: wanted, most: wanted, wanted, changes: 'motion', consequence };
  };
  const exactly = (register: string, wanted: number, consequence: string): StoredRule => {
    return { register, least: wanted, most: wanted, wanted, changes: 'motion', consequence };
  };
  return [
    exactly('statusLevel', 1, 'it acknowledges no writes, so that no cap and no goal can be relied on'),
    bit(PHASE.countsTurns, 0, `it counts turns, and its readings leave 0 to ${last}`),
    bit(PHASE.fineSpeed, PHASE.fineSpeed, 'its speed unit is 50 counts/s, so that speeds are read as a fiftieth'),
    bit(PHASE.zeroSpeedIsMost, PHASE.zeroSpeedIsMost, 'a goal speed of 0 stops it: it has torque and does not move'),
    exactly('operatingMode', 0, 'it is not in position mode'),
    exactly('resolution', 1, 'each of its counts is that many times as large'),
    {
      register: 'positionMax',
      least: 1,
      most: last,
      wanted: last,
      changes: 'motion',
      consequence: `it has no range, counts turns, and its readings leave 0 to ${last}`,
    },
    {
      register: 'startForce',
      least: 0,
      most: 100,
      wanted: 16,
      changes: 'protection',
      consequence: 'it pushes with that many thousandths of its torque as soon as it is off its goal, and trembles',
    },
    ...protection(volts),
  ];
}

function protection(volts: number): readonly StoredRule[] {
  const within = (register: string, range: readonly [number, number], wanted: number, consequence: string) =>
    ({ register, least: range[0], most: range[1], wanted, changes: 'protection', consequence }) as const;
  return [
    {
      register: 'unloadConditions',
      bits: UNLOADING,
      least: UNLOADING,
      most: UNLOADING,
      wanted: UNLOADING,
      changes: 'protection',
      consequence: 'it keeps its torque through overload, overcurrent or heat (fault 13)',
    },
    within('temperatureMax', [40, 85], 70, 'its overheating protection trips too late, or always'),
    within('voltageMax', [60, 150], volts, 'its overvoltage protection trips too late, or always'),
    within('voltageMin', [30, 110], 40, 'its undervoltage protection trips too late, or always'),
    within('overloadTorque', [1, 80], 80, 'its overload protection trips late, or never (fault 13)'),
    within('protectionTime', [1, 254], 200, 'any load latches its overload protection at once'),
    within('protectiveTorque', [0, 50], 20, 'it presses on with more than half of its torque in an overload'),
    within('currentMax', [1, 1000], 500, 'it has no protection against overcurrent'),
    within('overcurrentTime', [1, 254], 200, 'any current latches its protection at once'),
    within('deadZonePositive', [0, 16], 1, 'it stops that many counts short of its goals'),
    within('deadZoneNegative', [0, 16], 1, 'it stops that many counts short of its goals'),
  ];
}
