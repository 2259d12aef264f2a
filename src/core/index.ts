export {
  type ActionRange,
  centreOf,
  halfRangeOf,
  normalisedRanges,
  physicalAction,
  symmetricRange,
} from './action-range.ts';
export { ArmDynamics, LINK_PARAMETERS } from './arm-dynamics.ts';
export { axesOf, modelOfBase } from './base-model.ts';
export { BasePath, PIECE_TURN_RAD } from './base-path.ts';
export { type Clock, FakeClock, LockStepClock, SystemClock } from './clock.ts';
export { crc32c } from './crc32c.ts';
export { DampedLeastSquares, taskRows } from './damped-least-squares.ts';
export {
  type Environment,
  type ImageShape,
  type ObservationParts,
  policyObservationSize,
  totalObservationSize,
} from './environment.ts';
export {
  type ActionCommand,
  DECIDERS,
  type Decider,
  type GuardAnswer,
  type GuardFrame,
  type GuardNotice,
  type GuardRequest,
  SAFETY_STATES,
  type SafetyStateName,
  type SceneLayout,
} from './guard-frame.ts';
export { ArmKinematics } from './kinematics.ts';
export { LinkTopology } from './link-topology.ts';
export {
  bakeModel,
  checkModel,
  type Dimension,
  ENCODER_PLACE,
  explainRejection,
  firstLineOf,
  type InnerModel,
  inlineModel,
  type ModelInfo,
  type ModelOp,
  type ModelValue,
  type NamedTensor,
  readModelInfo,
  showDimensions,
} from './onnx/index.ts';
export { forEachField } from './protobuf.ts';
export { ProtoWriter } from './protobuf-writer.ts';
export { type ErrorKind, err, ok, ReinError, type Result } from './result.ts';
export { Rng, type RngState } from './rng.ts';
export {
  type BaseKind,
  type BaseModel,
  type Capsule,
  type CollisionModel,
  type ContactModel,
  type Fence,
  isFree,
  type JointKind,
  type JointModel,
  type KeepOutBox,
  type LinkPoint,
  type RobotModel,
  type TankModel,
  type TorqueObserverModel,
  type WorkspaceBox,
} from './robot-model.ts';
export { createRobotState, type RobotState } from './robot-state.ts';
export {
  matrixFromAxisAngle,
  matrixFromQuaternion,
  matrixFromRpy,
  multiplyMatrix,
  type Numbers,
  quaternionFromMatrix,
  rotationError,
  turnAboutZ,
  yawBetween,
} from './rotation.ts';
export {
  type ActionDimension,
  type ActionSpec,
  BASE_ACTION,
  frameSize,
  type ObservationField,
  type ObservationSpec,
  observationParts,
  observationSize,
  onceSize,
  PREVIOUS_ACTIONS,
  rangesOf,
  schemaHash,
} from './spaces.ts';
export { Ema, type HistogramData, type Interval, QuantileHistogram, wilsonInterval } from './statistics.ts';
export { didYouMean, editDistance } from './suggest.ts';
export {
  copyTransition,
  createTransition,
  isIntervention,
  SOURCES,
  type Source,
  type Transition,
} from './transition.ts';
export {
  allFinite,
  clamp,
  clockText,
  type MonotonicNs,
  type Unit,
  type Vec,
  vec,
  wrapAngleRad,
  zeros,
} from './units.ts';
