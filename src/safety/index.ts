export { Clearances } from './avoidance/index.ts';
export { namesOfBits, SAFETY_BITS, type SafetyBit, START_REFUSED } from './bits.ts';
export { SafetyChain, type SafetyChainOptions, type SeedResult } from './chain.ts';
export { type ChainReport, createChainReport, STAGES, type StageName, type StageReport } from './chain-report.ts';
export type { ChainTrial } from './chain-trial.ts';
export {
  type ApplyingRow,
  BROKEN_COMMANDS,
  COMMAND_LATE,
  COMMAND_LOST,
  CONTACT_FORCE,
  DRIVER_LOST,
  EMERGENCY_STOP,
  ENCODER_JUMP,
  FAULT_ROWS,
  FAULTS,
  type Fault,
  FaultLatch,
  type FaultRow,
  FROZEN_READING,
  faultsOf,
  isAtLeast,
  LIMIT_BROKEN,
  OTHER_FAULTS,
  type OtherFault,
  OVERLOADED,
  OVERRUN,
  READING_NOT_FINITE,
  START_FAR,
  START_OUTSIDE,
  STOP_ACTIONS,
  type StopAction,
  TANK_EMPTY,
  TICK_STALLED,
  TRACKING_ERROR,
  worstAction,
} from './faults.ts';
export {
  admitCommand,
  answerRequest,
  deciderOf,
  faultReference,
  hasTorque,
  nextSafetyState,
  type RequestKind,
  type SafetyInput,
} from './states/index.ts';
export {
  CommandWatchdog,
  ContactMonitor,
  checkTick,
  FollowingWatchdog,
  LimitMonitor,
  MeasurementWatchdog,
  OVERLOAD_SPEED_RATIO,
  OverloadWatchdog,
  RestDetector,
  TankWatch,
} from './watch/index.ts';
