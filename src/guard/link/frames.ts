/**
 * Frames and commands as rows of doubles: the one layout that shared memory and the socket use. Scalars are listed by hand,
 * once for each way: through a table of keys or functions each would become a number on the heap, at every tick.
 */
import {
  type ActionCommand,
  DECIDERS,
  emptyFrame,
  FRAME_ARRAYS,
  type GuardFrame,
  SAFETY_STATES,
} from '../../core/index.ts';
import { STAGES } from '../../safety/chain-report.ts';
import type { LinkShape } from './link.ts';

const FRAME_SCALARS = 28;
const COMMAND_SCALARS = 6;

/** A frame with all arrays allocated; `tick` is −1. */
export function createGuardFrame(joints: number, signals: number, actions: number): GuardFrame {
  return emptyFrame(joints, signals, actions, STAGES.length);
}

/** A command with its array allocated, that asks for nothing. */
export function createActionCommand(actions: number): ActionCommand {
  return {
    seq: -1,
    decider: 'hold',
    issuedAtS: 0,
    leaseS: 0,
    policyVersion: 0,
    policyRun: 0,
    action: new Float64Array(actions),
  };
}

/** Copies `from` into `into`. Sizes must match. Tick-safe. */
export function copyActionCommand(into: ActionCommand, from: ActionCommand): void {
  into.seq = from.seq;
  into.decider = from.decider;
  into.issuedAtS = from.issuedAtS;
  into.leaseS = from.leaseS;
  into.policyVersion = from.policyVersion;
  into.policyRun = from.policyRun;
  into.action.set(from.action);
}

/** Copies `from` into `into`, arrays included. Sizes must match. Tick-safe. */
export function copyGuardFrame(into: GuardFrame, from: GuardFrame): void {
  into.tick = from.tick;
  into.state = from.state;
  into.decider = from.decider;
  into.commandSeq = from.commandSeq;
  into.filterBits = from.filterBits;
  into.faultFlags = from.faultFlags;
  into.ticks = from.ticks;
  into.changedTicks = from.changedTicks;
  into.violations = from.violations;
  into.overruns = from.overruns;
  into.marginMin = from.marginMin;
  into.clearanceM = from.clearanceM;
  into.tankEnergyJ = from.tankEnergyJ;
  into.tankLevel = from.tankLevel;
  into.tankScale = from.tankScale;
  into.tankInjectedJ = from.tankInjectedJ;
  into.residualJoint = from.residualJoint;
  into.residualNm = from.residualNm;
  into.stampS = from.stampS;
  into.tickLateS = from.tickLateS;
  into.leaseS = from.leaseS;
  into.leaseLeftS = from.leaseLeftS;
  into.readings = from.readings;
  into.lateReadings = from.lateReadings;
  into.lostReadings = from.lostReadings;
  into.refusedWrites = from.refusedWrites;
  into.toolSpeedMPerS = from.toolSpeedMPerS;
  into.robot.measuredAtS = from.robot.measuredAtS;
  for (let i = 0; i < FRAME_ARRAYS.length; i++) FRAME_ARRAYS[i]!(into).set(FRAME_ARRAYS[i]!(from));
}

/** How many doubles a frame takes. */
export function frameNumbers(shape: LinkShape): number {
  const frame = createGuardFrame(shape.joints, shape.signals, shape.actions);
  return FRAME_ARRAYS.reduce((sum, arrayOf) => sum + arrayOf(frame).length, FRAME_SCALARS);
}

/** How many doubles a command takes. */
export function commandNumbers(shape: LinkShape): number {
  return COMMAND_SCALARS + shape.actions;
}

/** Writes `frame` into `out`, `frameNumbers` doubles from `offset` on. Tick-safe. */
export function packFrame(out: Float64Array, offset: number, frame: GuardFrame): void {
  out[offset] = frame.tick;
  out[offset + 1] = SAFETY_STATES.indexOf(frame.state);
  out[offset + 2] = DECIDERS.indexOf(frame.decider);
  out[offset + 3] = frame.commandSeq;
  out[offset + 4] = frame.filterBits;
  out[offset + 5] = frame.ticks;
  out[offset + 6] = frame.changedTicks;
  out[offset + 7] = frame.violations;
  out[offset + 8] = frame.overruns;
  out[offset + 9] = frame.robot.measuredAtS;
  out[offset + 10] = frame.faultFlags;
  out[offset + 11] = frame.marginMin;
  out[offset + 12] = frame.clearanceM;
  out[offset + 13] = frame.tankEnergyJ;
  out[offset + 14] = frame.tankLevel;
  out[offset + 15] = frame.tankScale;
  out[offset + 16] = frame.tankInjectedJ;
  out[offset + 17] = frame.residualJoint;
  out[offset + 18] = frame.residualNm;
  out[offset + 19] = frame.stampS;
  out[offset + 20] = frame.tickLateS;
  out[offset + 21] = frame.leaseS;
  out[offset + 22] = frame.leaseLeftS;
  out[offset + 23] = frame.readings;
  out[offset + 24] = frame.lateReadings;
  out[offset + 25] = frame.lostReadings;
  out[offset + 26] = frame.refusedWrites;
  out[offset + 27] = frame.toolSpeedMPerS;
  let at = offset + FRAME_SCALARS;
  for (let i = 0; i < FRAME_ARRAYS.length; i++) at = put(out, at, FRAME_ARRAYS[i]!(frame));
}

/** Reads what `packFrame` wrote. False, with `into` unchanged, when a code is out of range. Tick-safe. */
export function unpackFrame(into: GuardFrame, from: Float64Array, offset: number): boolean {
  const state = SAFETY_STATES[from[offset + 1]!];
  const decider = DECIDERS[from[offset + 2]!];
  if (state === undefined || decider === undefined) return false;
  into.tick = from[offset]!;
  into.state = state;
  into.decider = decider;
  into.commandSeq = from[offset + 3]!;
  into.filterBits = from[offset + 4]!;
  into.ticks = from[offset + 5]!;
  into.changedTicks = from[offset + 6]!;
  into.violations = from[offset + 7]!;
  into.overruns = from[offset + 8]!;
  into.robot.measuredAtS = from[offset + 9]!;
  into.faultFlags = from[offset + 10]!;
  into.marginMin = from[offset + 11]!;
  into.clearanceM = from[offset + 12]!;
  into.tankEnergyJ = from[offset + 13]!;
  into.tankLevel = from[offset + 14]!;
  into.tankScale = from[offset + 15]!;
  into.tankInjectedJ = from[offset + 16]!;
  into.residualJoint = from[offset + 17]!;
  into.residualNm = from[offset + 18]!;
  into.stampS = from[offset + 19]!;
  into.tickLateS = from[offset + 20]!;
  into.leaseS = from[offset + 21]!;
  into.leaseLeftS = from[offset + 22]!;
  into.readings = from[offset + 23]!;
  into.lateReadings = from[offset + 24]!;
  into.lostReadings = from[offset + 25]!;
  into.refusedWrites = from[offset + 26]!;
  into.toolSpeedMPerS = from[offset + 27]!;
  let at = offset + FRAME_SCALARS;
  for (let i = 0; i < FRAME_ARRAYS.length; i++) at = take(FRAME_ARRAYS[i]!(into), from, at);
  return true;
}

/** Writes `command` into `out`, `commandNumbers` doubles from `offset` on. Tick-safe. */
export function packCommand(out: Float64Array, offset: number, command: ActionCommand): void {
  out[offset] = command.seq;
  out[offset + 1] = DECIDERS.indexOf(command.decider);
  out[offset + 2] = command.issuedAtS;
  out[offset + 3] = command.leaseS;
  out[offset + 4] = command.policyVersion;
  out[offset + 5] = command.policyRun;
  put(out, offset + COMMAND_SCALARS, command.action);
}

/** Reads what `packCommand` wrote. False, with `into` unchanged, when the decider's code is out of range. Tick-safe. */
export function unpackCommand(into: ActionCommand, from: Float64Array, offset: number): boolean {
  const decider = DECIDERS[from[offset + 1]!];
  if (decider === undefined) return false;
  into.seq = from[offset]!;
  into.decider = decider;
  into.issuedAtS = from[offset + 2]!;
  into.leaseS = from[offset + 3]!;
  into.policyVersion = from[offset + 4]!;
  into.policyRun = from[offset + 5]!;
  take(into.action, from, offset + COMMAND_SCALARS);
  return true;
}

function put(out: Float64Array, at: number, values: Float64Array): number {
  for (let i = 0; i < values.length; i++) out[at + i] = values[i]!;
  return at + values.length;
}

function take(into: Float64Array, from: Float64Array, at: number): number {
  for (let i = 0; i < into.length; i++) into[i] = from[at + i]!;
  return at + into.length;
}
