/** Feetech servos as data: registers, counts and their meaning. */
import type { ControlTable, ServoModel } from '../servo/protocol.ts';

/** Registers of both series, at the same addresses. */
const BOTH: ControlTable = {
  firmwareMajor: { address: 0, bytes: 1, isReadOnly: true },
  firmwareMinor: { address: 1, bytes: 1, isReadOnly: true },
  modelNumber: { address: 3, bytes: 2, isReadOnly: true },
  id: { address: 5, bytes: 1, isStored: true },
  baud: { address: 6, bytes: 1, isStored: true },
  returnDelay: { address: 7, bytes: 1, scale: 2e-6, unit: 's', isStored: true },
  statusLevel: { address: 8, bytes: 1, isStored: true },
  positionMin: { address: 9, bytes: 2, isStored: true },
  positionMax: { address: 11, bytes: 2, isStored: true },
  temperatureMax: { address: 13, bytes: 1, unit: 'C', scale: 1, isStored: true },
  voltageMax: { address: 14, bytes: 1, unit: 'V', scale: 0.1, isStored: true },
  voltageMin: { address: 15, bytes: 1, unit: 'V', scale: 0.1, isStored: true },
  /** Copied to `torqueLimit`, if present, at power-up. */
  torqueMax: { address: 16, bytes: 2, unit: '1', scale: 0.001, isStored: true },
  gainP: { address: 21, bytes: 1, isStored: true },
  gainD: { address: 22, bytes: 1, isStored: true },
  gainI: { address: 23, bytes: 1, isStored: true },
  /** 0: off; 1: on; STS only: 128 makes the present position the middle (2048). */
  torqueEnable: { address: 40, bytes: 1 },
  goalTime: { address: 44, bytes: 2 },
  presentLoad: { address: 60, bytes: 2, sign: { bit: 10 }, unit: '1', scale: 0.001, isReadOnly: true },
  presentVoltage: { address: 62, bytes: 1, unit: 'V', scale: 0.1, isReadOnly: true },
  presentTemperature: { address: 63, bytes: 1, unit: 'C', scale: 1, isReadOnly: true },
  status: { address: 65, bytes: 1, isReadOnly: true },
  moving: { address: 66, bytes: 1, isReadOnly: true },
};

/**
 * STS and SMS series. Source: Feetech, "STS3215 memory table" (STS/SMS series, magnetic encoder; firmware 3.x). Sign
 * bits: 15 for speeds and positions, 11 for the position offset, 10 for loads.
 */
const STS: ControlTable = {
  ...BOTH,
  phase: { address: 18, bytes: 1, isStored: true },
  unloadConditions: { address: 19, bytes: 1, isStored: true },
  ledConditions: { address: 20, bytes: 1, isStored: true },
  startForce: { address: 24, bytes: 2, unit: '1', scale: 0.001, isStored: true },
  deadZonePositive: { address: 26, bytes: 1, isStored: true },
  deadZoneNegative: { address: 27, bytes: 1, isStored: true },
  currentMax: { address: 28, bytes: 2, unit: 'A', scale: 0.0065, isStored: true },
  resolution: { address: 30, bytes: 1, isStored: true },
  homingOffset: { address: 31, bytes: 2, sign: { bit: 11 }, isStored: true },
  operatingMode: { address: 33, bytes: 1, isStored: true },
  /** Torque after the overload protection has latched, time until then, and load that counts as overload. */
  protectiveTorque: { address: 34, bytes: 1, unit: '1', scale: 0.01, isStored: true },
  protectionTime: { address: 35, bytes: 1, unit: 's', scale: 0.01, isStored: true },
  overloadTorque: { address: 36, bytes: 1, unit: '1', scale: 0.01, isStored: true },
  speedGainP: { address: 37, bytes: 1, isStored: true },
  overcurrentTime: { address: 38, bytes: 1, unit: 's', scale: 0.01, isStored: true },
  speedGainI: { address: 39, bytes: 1, isStored: true },
  acceleration: { address: 41, bytes: 1, unit: 'rad/s²', scale: (100 * 2 * Math.PI) / 4096 },
  goalPosition: { address: 42, bytes: 2, sign: { bit: 15 } },
  goalSpeed: { address: 46, bytes: 2, sign: { bit: 15 } },
  torqueLimit: { address: 48, bytes: 2, unit: '1', scale: 0.001 },
  /** 0: stored registers are writable. */
  lock: { address: 55, bytes: 1 },
  presentPosition: { address: 56, bytes: 2, sign: { bit: 15 }, isReadOnly: true },
  presentSpeed: {
    address: 58,
    bytes: 2,
    sign: { bit: 15 },
    unit: 'rad/s',
    scale: (2 * Math.PI) / 4096,
    isReadOnly: true,
  },
  asyncWrite: { address: 64, bytes: 1, isReadOnly: true },
  presentCurrent: { address: 69, bytes: 2, sign: { bit: 15 }, unit: 'A', scale: 0.0065, isReadOnly: true },
};

/**
 * SCS series, big-endian, potentiometer. Source: Feetech, "SCS series memory table" (SCS0009). No stored offset, no
 * current, no sync read.
 */
const SCS: ControlTable = {
  ...BOTH,
  protectiveTorque: { address: 37, bytes: 1, unit: '1', scale: 0.01, isStored: true },
  protectionTime: { address: 38, bytes: 1, unit: 's', scale: 0.04, isStored: true },
  overloadTorque: { address: 39, bytes: 1, unit: '1', scale: 0.01, isStored: true },
  goalPosition: { address: 42, bytes: 2 },
  goalSpeed: { address: 46, bytes: 2 },
  lock: { address: 48, bytes: 1 },
  presentPosition: { address: 56, bytes: 2, isReadOnly: true },
  presentSpeed: {
    address: 58,
    bytes: 2,
    sign: { bit: 15 },
    unit: 'rad/s',
    scale: (2 * Math.PI) / 1228.8,
    isReadOnly: true,
  },
};

/** 1 kgf·cm, the torque unit of the data sheets, N·m. */
const KGF_CM_NM = 0.0980665;

/** Models by their name in robot files. Torques: data sheet of each model, at the voltage given. */
export const FEETECH_MODELS: Readonly<Record<string, ServoModel>> = {
  sts3215: {
    name: 'sts3215',
    modelNumber: 777,
    countsPerTurn: 4096,
    document: 'Feetech, STS3215 memory table and data sheet (7.4 V: 19.5 kgf·cm)',
    registers: STS,
    firmware: [3, 3],
    stallTorqueNm: 19.5 * KGF_CM_NM,
  },
  sts3215_12v: {
    name: 'sts3215_12v',
    modelNumber: 777,
    countsPerTurn: 4096,
    document: 'Feetech, STS3215 memory table and data sheet (12 V: 30 kgf·cm)',
    registers: STS,
    firmware: [3, 3],
    stallTorqueNm: 30 * KGF_CM_NM,
  },
  sts3250: {
    name: 'sts3250',
    modelNumber: 2825,
    countsPerTurn: 4096,
    document: 'Feetech, STS3250 memory table and data sheet (12 V: 50 kgf·cm)',
    registers: STS,
    firmware: [3, 3],
    stallTorqueNm: 50 * KGF_CM_NM,
  },
  scs0009: {
    name: 'scs0009',
    modelNumber: 1284,
    countsPerTurn: 1228.8,
    goalMaxCounts: 1023,
    document: 'Feetech, SCS0009 memory table and data sheet (6 V: 2.3 kgf·cm; 1024 counts on 300°)',
    registers: SCS,
    stallTorqueNm: 2.3 * KGF_CM_NM,
  },
};

/** Bit rates, bit/s; the index is the value of register `baud`. Source: the same tables. */
export const FEETECH_BAUDS: readonly number[] = [1_000_000, 500_000, 250_000, 128_000, 115_200, 76_800, 57_600, 38_400];
