export { namesOfBits, SAFETY_BITS, type SafetyBit } from './bits.ts';
export {
  type ChainReport,
  createChainReport,
  SafetyChain,
  type SafetyChainOptions,
  type SeedResult,
} from './chain.ts';
export { faultReference } from './fault-reference.ts';
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
export { FollowingWatchdog } from './following.ts';
export { LimitMonitor } from './limit-monitor.ts';
export { OTHER_FAULTS, type OtherFault } from './other-faults.ts';
export {
  admitCommand,
  answerRequest,
  deciderOf,
  hasTorque,
  nextSafetyState,
  type RequestKind,
  type SafetyInput,
} from './safety-state.ts';
export { CommandWatchdog, checkTick, MeasurementWatchdog, RestDetector } from './watchdog.ts';
