/** Dynamixel X series as data: registers, counts and their meaning. */
import type { ControlTable, Register, ServoModel } from '../servo/protocol.ts';

/** Servo model with the further data that this family needs. */
export interface DynamixelModel extends ServoModel {
  /** Current at `stallTorqueNm`, A. Absent: the servo measures no current; `presentLoad` is the share of its maximum load. */
  readonly stallCurrentA?: number | undefined;
  /** Factory temperature limit, beyond which torque is switched off, °C. */
  readonly temperatureMaxC: number;
  /** First firmware that answers fast reads. */
  readonly fastReadFirmware: number;
  /** First firmware with a bus watchdog. */
  readonly watchdogFirmware: number;
  /** Number of indirect addresses, stored from register `indirectAddress` on; as many data bytes follow from `indirectData` on. */
  readonly indirectBytes: number;
  /** Table of newer firmware, if different, and the first firmware with it. */
  readonly newer?: {
    readonly firmware: number;
    readonly table: Pick<DynamixelModel, 'registers' | 'indirectBytes'>;
  };
}

/**
 * Newest firmware with known tables. Source: ROBOTIS, dynamixel_hardware_interface, param/dxl_model (commit db2b903, December
 * 2025): per model one file for firmware up to 52 where that differs, and one for newer; 53 is the newest released.
 */
export const DYNAMIXEL_NEWEST_FIRMWARE = 53;

/** Returns `model` with the control table of `firmware`; `undefined` if it is newer than known. */
export function dynamixelWithFirmware(model: DynamixelModel, firmware: number): DynamixelModel | undefined {
  if (!(firmware <= DYNAMIXEL_NEWEST_FIRMWARE)) return undefined;
  const { newer } = model;
  return newer === undefined || firmware < newer.firmware ? model : { ...model, ...newer.table };
}

/** e-Manual, control table of every model: 0.229 rpm, in rad/s. */
const SPEED = { bytes: 4, sign: 'twosComplement', scale: (0.229 * 2 * Math.PI) / 60, unit: 'rad/s' } as const;
const COUNTS = { bytes: 4, sign: 'twosComplement' } as const;
/** 0.113 % per count; 885 counts are the maximum. */
const PWM = { bytes: 2, sign: 'twosComplement', scale: 1 / 885, unit: '1' } as const;
const GAIN = { bytes: 2 } as const;

/** Registers of all models. Source: e-Manual, "Control Table" of XL430-W250, XM430-W350, XM540-W270, XH540-W270, XC430-W240, XL330. */
const COMMON: ControlTable = {
  modelNumber: { address: 0, bytes: 2, isReadOnly: true },
  modelInformation: { address: 2, bytes: 4, isReadOnly: true },
  firmware: { address: 6, bytes: 1, isReadOnly: true },
  id: { address: 7, bytes: 1, isStored: true },
  baud: { address: 8, bytes: 1, isStored: true },
  returnDelay: { address: 9, bytes: 1, scale: 2e-6, unit: 's', isStored: true },
  driveMode: { address: 10, bytes: 1, isStored: true },
  operatingMode: { address: 11, bytes: 1, isStored: true },
  shadowId: { address: 12, bytes: 1, isStored: true },
  protocolType: { address: 13, bytes: 1, isStored: true },
  /** Added to the position. */
  homingOffset: { address: 20, ...COUNTS, isStored: true },
  movingThreshold: { address: 24, ...SPEED, isStored: true },
  temperatureMax: { address: 31, bytes: 1, unit: 'C', scale: 1, isStored: true },
  voltageMax: { address: 32, bytes: 2, unit: 'V', scale: 0.1, isStored: true },
  voltageMin: { address: 34, bytes: 2, unit: 'V', scale: 0.1, isStored: true },
  pwmMax: { address: 36, ...PWM, isStored: true },
  velocityMax: { address: 44, ...SPEED, isStored: true },
  positionMax: { address: 48, ...COUNTS, isStored: true },
  positionMin: { address: 52, ...COUNTS, isStored: true },
  startupConfiguration: { address: 60, bytes: 1, isStored: true },
  /** Bits of `HARDWARE_ERROR` that switch torque off until a reboot. */
  shutdown: { address: 63, bytes: 1, isStored: true },
  torqueEnable: { address: 64, bytes: 1 },
  led: { address: 65, bytes: 1 },
  statusLevel: { address: 68, bytes: 1 },
  registeredInstruction: { address: 69, bytes: 1, isReadOnly: true },
  hardwareError: { address: 70, bytes: 1, isReadOnly: true },
  velocityGainI: { address: 76, ...GAIN },
  velocityGainP: { address: 78, ...GAIN },
  gainD: { address: 80, ...GAIN },
  gainI: { address: 82, ...GAIN },
  gainP: { address: 84, ...GAIN },
  feedForward2: { address: 88, ...GAIN },
  feedForward1: { address: 90, ...GAIN },
  /** 0: off; −1: expired, goals are rejected until 0 is written. */
  busWatchdog: { address: 98, bytes: 1, sign: 'twosComplement', scale: 0.02, unit: 's' },
  /** PWM limit, in every mode except PWM control. */
  goalPwm: { address: 100, ...PWM },
  goalVelocity: { address: 104, ...SPEED },
  profileAcceleration: { address: 108, bytes: 4, scale: (214.577 * 2 * Math.PI) / 3600, unit: 'rad/s²' },
  profileVelocity: { address: 112, ...SPEED },
  goalPosition: { address: 116, ...COUNTS },
  realtimeTick: { address: 120, bytes: 2, scale: 1e-3, unit: 's', isReadOnly: true },
  moving: { address: 122, bytes: 1, isReadOnly: true },
  movingStatus: { address: 123, bytes: 1, isReadOnly: true },
  presentPwm: { address: 124, ...PWM, isReadOnly: true },
  presentSpeed: { address: 128, ...SPEED, isReadOnly: true },
  presentPosition: { address: 132, ...COUNTS, isReadOnly: true },
  velocityTrajectory: { address: 136, ...SPEED, isReadOnly: true },
  positionTrajectory: { address: 140, ...COUNTS, isReadOnly: true },
  presentVoltage: { address: 144, bytes: 2, unit: 'V', scale: 0.1, isReadOnly: true },
  presentTemperature: { address: 146, bytes: 1, unit: 'C', scale: 1, isReadOnly: true },
  indirectAddress: { address: 168, bytes: 2 },
};

/** Registers of models without current measurement: 0.1 % of the maximum load. */
const LOAD: ControlTable = {
  presentLoad: { address: 126, bytes: 2, sign: 'twosComplement', scale: 0.001, unit: '1', isReadOnly: true },
};

/** Returns the registers of models with current measurement. `countA`: A per count. */
function currentTable(countA: number): ControlTable {
  const current = { bytes: 2, sign: 'twosComplement', scale: countA, unit: 'A' } as const satisfies Omit<
    Register,
    'address'
  >;
  return {
    currentMax: { address: 38, ...current, isStored: true },
    goalCurrent: { address: 102, ...current },
    presentLoad: { address: 126, ...current, isReadOnly: true },
  };
}

/** X430 and X540: 28 indirect addresses; 28 more at another address are not needed here. */
const X430 = {
  countsPerTurn: 4096,
  temperatureMaxC: 80,
  fastReadFirmware: 45,
  watchdogFirmware: 38,
  indirectBytes: 28,
} as const;
const X430_TABLE: ControlTable = { ...COMMON, indirectData: { address: 224, bytes: 1 } };

const X430_LOAD: ControlTable = { ...X430_TABLE, ...LOAD };
const X430_CURRENT: ControlTable = { ...X430_TABLE, ...currentTable(2.69e-3) };
const X330_CURRENT: ControlTable = {
  ...X430_TABLE,
  ...currentTable(1e-3),
  pwmSlope: { address: 62, bytes: 1, isStored: true },
};
/**
 * X330: 20 indirect addresses, directly followed by their data; from firmware 53 on as X430. Source: ROBOTIS,
 * dynamixel_hardware_interface, `xl330_m288_fw52.model` and `xl330_m288.model`.
 */
const X330 = {
  countsPerTurn: 4096,
  temperatureMaxC: 70,
  fastReadFirmware: 46,
  watchdogFirmware: 0,
  indirectBytes: 20,
  registers: { ...X330_CURRENT, indirectData: { address: 208, bytes: 1 } },
  newer: { firmware: 53, table: { registers: X330_CURRENT, indirectBytes: X430.indirectBytes } },
} as const satisfies Partial<DynamixelModel>;

/** Returns the e-Manual page of a model, with the stall torque row that is used. */
const page = (model: string, row: string): string => `ROBOTIS e-Manual, docs/en/dxl/x/${model} (stall torque ${row})`;

/**
 * Models by their name in robot files. Fast reads: e-Manual, "DYNAMIXEL Protocol 2.0", Fast Sync Read. Bus watchdog: page of
 * each model. Not included: XC330, which measure supply instead of motor current, and the 2X series, without fast reads.
 */
export const DYNAMIXEL_MODELS: Readonly<Record<string, DynamixelModel>> = Object.fromEntries(
  [
    {
      ...X330,
      name: 'xl330-m077',
      modelNumber: 1190,
      document: page('xl330-m077', '0.215 N·m at 5.0 V, 1.47 A'),
      stallTorqueNm: 0.215,
      stallCurrentA: 1.47,
    },
    {
      ...X330,
      name: 'xl330-m288',
      modelNumber: 1200,
      document: page('xl330-m288', '0.52 N·m at 5.0 V, 1.47 A'),
      stallTorqueNm: 0.52,
      stallCurrentA: 1.47,
    },
    {
      ...X430,
      name: 'xl430-w250',
      temperatureMaxC: 72,
      modelNumber: 1060,
      document: page('xl430-w250', '1.5 N·m at 12.0 V'),
      registers: X430_LOAD,
      stallTorqueNm: 1.5,
    },
    {
      ...X430,
      name: 'xc430-w240',
      modelNumber: 1080,
      document: page('xc430-w240', '1.9 N·m at 12.0 V'),
      registers: X430_LOAD,
      stallTorqueNm: 1.9,
    },
    {
      ...X430,
      name: 'xm430-w350',
      modelNumber: 1020,
      document: page('xm430-w350', '4.1 N·m at 12.0 V, 2.3 A'),
      registers: X430_CURRENT,
      stallTorqueNm: 4.1,
      stallCurrentA: 2.3,
    },
    {
      ...X430,
      name: 'xm540-w270',
      modelNumber: 1120,
      document: page('xm540-w270', '10.6 N·m at 12.0 V, 4.4 A'),
      registers: X430_CURRENT,
      stallTorqueNm: 10.6,
      stallCurrentA: 4.4,
    },
    {
      ...X430,
      name: 'xh540-w270',
      modelNumber: 1100,
      document: page('xh540-w270', '9.9 N·m at 12.0 V, 4.9 A'),
      registers: X430_CURRENT,
      stallTorqueNm: 9.9,
      stallCurrentA: 4.9,
    },
  ].map((model) => [model.name, model]),
);

/** Bit rates, bit/s; the index is the value of register `baud`. X330 have no 4.5 Mbit/s. Source: the same pages. */
export const DYNAMIXEL_BAUDS: readonly number[] = [
  9600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000,
];

/** Bits of `hardwareError` and `shutdown`. Source: the same pages, "Shutdown(63)". */
export const HARDWARE_ERROR = { voltage: 1, temperature: 4, encoder: 8, electricalShock: 16, overload: 32 } as const;

/** Returns the names of the errors in `error`. For messages; allocates. */
export function hardwareErrorNames(error: number): readonly string[] {
  return Object.entries(HARDWARE_ERROR).flatMap(([name, bit]) => ((error & bit) === 0 ? [] : [name]));
}
