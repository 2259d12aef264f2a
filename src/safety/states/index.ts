export { faultReference } from './fault-reference.ts';
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
