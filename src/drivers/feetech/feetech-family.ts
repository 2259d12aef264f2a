/** Feetech servos for the generic servo driver. */
import { ReinError } from '../../model/index.ts';
import {
  blockOf,
  directionMoved,
  type Motor,
  offsetMoved,
  rangeProblem,
  type ServoFamily,
  type ServoIdentity,
  type SetupProblem,
  SILENT,
  storedDirectionOf,
} from '../servo/family.ts';
import { readRegister, type ServoModel } from '../servo/protocol.ts';
import { countsProblem } from '../servo/readable.ts';
import type { ServoBus } from '../servo/servo-bus.ts';
import { ServoRegisters } from '../servo/servo-registers.ts';
import { undrivenRule } from '../servo/stored-rules.ts';
import { FEETECH_MODELS } from './models.ts';
import { BROADCAST_ID, errorNames, SCS_PROTOCOL, STATUS_ERROR, STS_PROTOCOL } from './protocol.ts';
import { feetechRules } from './stored.ts';
import { FEETECH_WRITES } from './writes.ts';

/** Errors that stop the robot at once. A position beyond its limits is detected from the reading. */
const FAULTS =
  STATUS_ERROR.voltage | STATUS_ERROR.sensor | STATUS_ERROR.temperature | STATUS_ERROR.current | STATUS_ERROR.overload;
const TORQUE_OFF = 0;
/** Value of `operatingMode`. */
const POSITION_MODE = 0;
/** Bits of `phase`: direction of the motor, and direction of the encoder. Factory values differ between models. */
const DIRECTION_BITS = 0x81;
/** Largest offset: the register has its sign in bit 11. */
const OFFSET_MAX_COUNTS = 2047;
/** Tolerated difference of the stored range from the calibrated one, turns of the horn: about 3 degrees. */
const RANGE_SLACK_TURNS = 0.008;
/** Longer than any request of this program: completes a request that was truncated before the stop. */
const FILL_BYTES = 200;

export const feetechFamily: ServoFamily = {
  name: 'feetech',
  models: FEETECH_MODELS,
  writes: FEETECH_WRITES,
  protocolOf: (models) => {
    const isSts = models.map(hasSyncRead);
    if (isSts.every((value) => value === isSts[0])) return isSts[0] === false ? SCS_PROTOCOL : STS_PROTOCOL;
    throw new ReinError('config', 'STS and SCS servos speak with another order of bytes and do not share a bus.', {
      remedy: 'Put them on buses of their own.',
    });
  },
  // Firmware of another generation has to be accepted at calibration; within one generation, tables are the same.
  withFirmware: (model) => model,
  identify: (bus, id, pings) => {
    const first = new Uint8Array(5);
    if (bus.ping(id, first, 0, pings) !== 'ok' || bus.read(id, 0, 5, first) !== 'ok') return undefined;
    return identityOf(first, bus.protocol.isLittleEndian);
  },
  // The manufacturer's own examples move servos with torque off (FTServo_Python, sms_sts/write.py).
  goalTurnsOn: true,
  fastBlock: ({ model }) => blockOf(model, ['torqueEnable', 'presentPosition', 'presentSpeed', 'presentLoad']),
  slowBlocks: ({ model }) => [
    blockOf(model, ['presentVoltage', 'presentTemperature']),
    blockOf(model, ['torqueEnable', capRegister(model)]),
  ],
  configure,
  storedProblem: (motor, calibration, read) => {
    const [least, most] = [read('positionMin'), read('positionMax')];
    if (least === undefined || most === undefined) return SILENT;
    const unread = countsProblem(feetechFamily, motor, calibration);
    if (unread !== undefined) return { what: unread, calibrate: '' };
    const undriven = undrivenRule(motor, feetechRules(motor.model), read);
    if (undriven !== undefined) return undriven;
    const turned = directionMoved(feetechFamily, motor, storedDirectionOf(feetechFamily, motor, read), calibration);
    if (turned !== undefined) return turned;
    // Moved by hand, a joint is not pressed against both stops equally.
    const slack = RANGE_SLACK_TURNS * motor.model.countsPerTurn;
    const narrow = rangeProblem([least, most], feetechFamily.goalRange(motor.model), calibration, slack);
    if (narrow !== undefined || motor.model.registers['homingOffset'] === undefined) return narrow;
    const offset = read('homingOffset');
    return offset === undefined ? SILENT : offsetMoved(offset, calibration);
  },
  countsTurnsBy: ['phase', 'positionMax'],
  directionBits: { register: 'phase', bits: DIRECTION_BITS },
  storedRules: ({ model }) => feetechRules(model),
  operatingMode: () => POSITION_MODE,
  offsetMaxCounts: () => OFFSET_MAX_COUNTS,
  wrapsOffset: true,
  capRegister: ({ model }) => capRegister(model),
  capCounts: (_motor, ratio) => Math.round(1000 * ratio),
  nmPerLoad: ({ model }) => model.stallTorqueNm,
  goalRange: ({ goalMaxCounts, countsPerTurn }) => [0, goalMaxCounts ?? Math.round(countsPerTurn) - 1],
  isFault: (error) => (error & FAULTS) !== 0,
  errorNames,
  stopFrames: () => {
    const protocol = STS_PROTOCOL;
    const stop = new Uint8Array(16);
    const { address } = FEETECH_MODELS['sts3215']!.registers['torqueEnable']!;
    const bytes = protocol.write(stop, BROADCAST_ID, address, Uint8Array.of(TORQUE_OFF), 0, 1);
    return [new Uint8Array(FILL_BYTES).fill(0xff), stop.slice(0, bytes)];
  },
};

function capRegister({ registers }: ServoModel): 'torqueMax' | 'torqueLimit' {
  return registers['torqueLimit'] === undefined ? 'torqueMax' : 'torqueLimit';
}

function hasSyncRead({ registers }: ServoModel): boolean {
  return registers['homingOffset'] !== undefined;
}

/** Returns the identity from the first five bytes of the table. */
function identityOf(bytes: Uint8Array, isLittleEndian: boolean): ServoIdentity {
  const model = FEETECH_MODELS['sts3215']!.registers['modelNumber']!;
  return { modelNumber: readRegister(model, bytes, 3, isLittleEndian), firmware: `${bytes[0]}.${bytes[1]}` };
}

function configure(bus: ServoBus, motor: Motor): SetupProblem | undefined {
  const registers = new ServoRegisters(bus, motor);
  const { calibration, options, model } = motor;
  if (calibration === undefined) return registers.keeps('torqueEnable', TORQUE_OFF) ? undefined : SILENT;
  const stored = feetechFamily.storedProblem(motor, calibration, (name) => registers.read(name));
  if (stored !== undefined) return stored;
  for (const [name, value] of [
    ['gainP', options.gainP],
    ['gainI', options.gainI],
    ['gainD', options.gainD],
    ['acceleration', model.registers['acceleration'] === undefined ? undefined : 0],
    ['goalTime', 0],
    ['goalSpeed', 0],
  ] as const) {
    if (value !== undefined && !registers.keeps(name, value)) return { what: `does not take ${name} ${value}` };
  }
  const cap = feetechFamily.capRegister(motor);
  const counts = feetechFamily.capCounts(motor, options.torqueRatio);
  return registers.keeps(cap, counts)
    ? undefined
    : { what: `does not keep its torque cap of ${counts / 10} % (fault 37)` };
}
