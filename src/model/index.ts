/** Vocabulary of every room: units, time, random numbers, spaces, robot model, kinematics, weights, errors. Imports no room. */

export {
  type ActionRange,
  centreOf,
  halfRangeOf,
  normalisedRanges,
  physicalAction,
  symmetricRange,
} from './action-range.ts';
export { ArmDynamics, LINK_PARAMETERS } from './arm-dynamics.ts';
export { modelOfBase } from './base-model.ts';
export { BasePath, PIECE_TURN_RAD } from './base-path.ts';
export { type Clock, LockStepClock, SystemClock } from './clock.ts';
export { DampedLeastSquares } from './damped-least-squares.ts';
export { sha256Hex } from './digest.ts';
export {
  type Environment,
  type ImageShape,
  imageSize,
  type ObservationParts,
  policyObservationSize,
  totalObservationSize,
} from './environment.ts';
export { asObject, isCount, parseJson, parseObject } from './json.ts';
export { ArmKinematics } from './kinematics.ts';
export { LinkTopology } from './link-topology.ts';
export { monitoredPoints } from './monitored-points.ts';
export {
  describeError,
  type ErrorKind,
  err,
  messageOf,
  ok,
  type PackedError,
  packError,
  ReinError,
  type Result,
  unpackError,
} from './result.ts';
export { Rng, type RngState } from './rng.ts';
export {
  boxOf,
  encoderNoiseOf,
  exitRampOf,
  holdsItself,
  isGravityCompensated,
  limitMarginOf,
  limitMarginsOf,
  parentOf,
  servosLead,
  stictionBandOf,
  toolLinkOf,
} from './robot-defaults.ts';
export {
  type BaseModel,
  type Capsule,
  type CollisionModel,
  type ContactModel,
  type Fence,
  IDENTIFY_ANEW,
  isFree,
  type JointModel,
  type KeepOutBox,
  type LinkPoint,
  type PowerRelay,
  positionUnit,
  REDUCED_SPEED_M_PER_S,
  type RobotModel,
  type SeparationModel,
  type StopFigures,
  servoLagS,
  type TankModel,
  type TorqueObserverModel,
  torqueUnit,
  type WorkspaceBox,
} from './robot-model.ts';
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
export { shownCapsules } from './shown-capsules.ts';
export {
  type ActionSpec,
  BASE_ACTION,
  checkAction,
  frameSize,
  isToolTurn,
  jointActionUnit,
  type ObservationField,
  type ObservationSpec,
  observationParts,
  observationProblem,
  observationSize,
  onceSize,
  PREVIOUS_ACTIONS,
  rangesOf,
  schemaHash,
  TOOL_AXES,
  toolAxisOf,
} from './spaces.ts';
export {
  Ema,
  type HistogramData,
  mean,
  type PairedCounts,
  pairedDifference,
  QuantileHistogram,
  quantile,
  quantileOf,
  variance,
  wilsonInterval,
} from './statistics.ts';
export { didYouMean, editDistance } from './suggest.ts';
export { clockText, counted, grouped, markdownTable, percent, significant, withoutFullStop } from './text.ts';
export { allFinite, clamp, GRAVITY_M_PER_S2, type Vec, wrapAngleRad, zeros } from './units.ts';
export {
  countNumbers,
  isWeightsManifest,
  originProblem,
  type PolicyOrigin,
  type PolicyWeights,
  sealWeights,
  type TensorShape,
  verifyWeights,
  type WeightsManifest,
} from './weights.ts';
