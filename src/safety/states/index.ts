export { ExitRamp } from './exit-ramp.ts';
export { type FaultProof, faultReference } from './fault-reference.ts';
export { describeReaction, type ReactionBound, reactionBound } from './reaction.ts';
export {
  admitCommand,
  answerRequest,
  deciderOf,
  hasTorque,
  nextSafetyState,
  type RequestKind,
  type SafetyInput,
} from './safety-state.ts';
