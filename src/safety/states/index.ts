export { type FaultProof, faultReference } from './fault-reference.ts';
export {
  admitCommand,
  answerRequest,
  deciderOf,
  hasTorque,
  nextSafetyState,
  type RequestKind,
  type SafetyInput,
} from './safety-state.ts';
