export { namesOfBits, SAFETY_BITS, type SafetyBit } from './bits.ts';
export { SafetyChain, type SafetyChainOptions, type SeedResult } from './chain.ts';
export { type ChainReport, createChainReport, STAGES, type StageName, type StageReport } from './chain-report.ts';
export type { ChainTrial } from './chain-trial.ts';
export {
  BROKEN_COMMANDS,
  COMMAND_LATE,
  COMMAND_LOST,
  DRIVER_LOST,
  EMERGENCY_STOP,
  ENCODER_JUMP,
  FAULTS,
  type Fault,
  FaultLatch,
  FROZEN_READING,
  faultsOf,
  isAtLeast,
  LIMIT_BROKEN,
  READING_NOT_FINITE,
  START_FAR,
  START_OUTSIDE,
  STOP_ACTIONS,
  type StopAction,
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
  OTHER_FAULTS,
  type OtherFault,
  type RequestKind,
  type SafetyInput,
} from './states/index.ts';
export {
  CommandWatchdog,
  checkTick,
  FollowingWatchdog,
  LimitMonitor,
  MeasurementWatchdog,
  RestDetector,
} from './watch/index.ts';
