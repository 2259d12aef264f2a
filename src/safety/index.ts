/** The safety chain: from a requested action to a reference that breaks no limit. Arithmetic only. */
export { Clearances } from './avoidance/clearances.ts';
export { namesOfBits, SAFETY_BITS, type SafetyBit, START_REFUSED } from './bits.ts';
export { SafetyChain, type SeedResult } from './chain.ts';
export type { ChainTrial } from './chain-trial.ts';
export { ActionMap } from './command/action-map.ts';
export { START_NEAR_M, START_NEAR_RAD } from './command/start-guard.ts';
export {
  BROKEN_COMMANDS,
  COMMAND_LATE,
  DRIVER_LOST,
  EMERGENCY_STOP,
  ENCODER_JUMP,
  FIRST_MOTION,
  FROZEN_READING,
  LETTING_DOWN,
  LIMIT_BROKEN,
  READING_NOT_FINITE,
  STALLED,
  START_FAR,
  START_OUTSIDE,
  TANK_EMPTY,
} from './fault-table/flags.ts';
export {
  FAULT_ROWS,
  type Fault,
  type FaultFigures,
  FaultLatch,
  type FaultRow,
  faultsOf,
  isAtLeast,
  mayGoOnInSimulation,
  messageOf,
  OTHER_FAULTS,
  SLOWING,
  TIMING_FAULTS,
  TORQUE_FAULTS,
  withRow,
  worstAction,
} from './faults.ts';
export { PRESS_SHARE } from './limits/press-limit.ts';
export { ExitRamp } from './states/exit-ramp.ts';
export {
  admitCommand,
  answerRequest,
  deciderOf,
  hasTorque,
  nextSafetyState,
  type RequestKind,
  type SafetyInput,
} from './states/safety-state.ts';
export { createTickTimes, NOW, PASSED, type TickTimes } from './tick-times.ts';
export { ContactMonitor } from './watch/contact.ts';
export { FollowingWatchdog, LARGEST_ERROR_M, LARGEST_ERROR_RAD, STICTION_BANDS } from './watch/following.ts';
export { ENDED_BY_ENABLE, HardwareWatch } from './watch/hardware.ts';
export { hermite, hermiteMean } from './watch/hermite.ts';
export {
  BROKEN_ACCEL,
  BROKEN_COLLISION,
  BROKEN_NOT_FINITE,
  BROKEN_POSITION,
  BROKEN_TOOL_SPEED,
  BROKEN_VELOCITY,
  BROKEN_WORKSPACE,
  LimitMonitor,
} from './watch/limit-monitor.ts';
export { MeasuredClearance } from './watch/measured-clearance.ts';
export { OVERLOAD_SPEED_RATIO, OverloadWatchdog } from './watch/overload.ts';
export { SeparationWatch } from './watch/separation.ts';
export { TankWatch } from './watch/tank-watch.ts';
export { COMPARED_TICKS, TorqueObserver } from './watch/torque-observer.ts';
export {
  CommandWatchdog,
  checkTick,
  isMeasuredAtRest,
  isStill,
  MeasurementWatchdog,
  RestDetector,
} from './watch/watchdog.ts';
