/** Units, time, spaces, transitions, kinematics and errors: what every room may use. Imports rows alone. */
import './no-telemetry.ts';

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
export { type Close, closeAll, closedAfter, openedOrClosed } from './closing.ts';
export { crc32c } from './crc32c.ts';
export { DampedLeastSquares } from './damped-least-squares.ts';
export { sha256Hex } from './digest.ts';
export { endsWith, isRunning } from './ends-with.ts';
export {
  type Environment,
  type ImageShape,
  imageSize,
  type ObservationParts,
  policyObservationSize,
  totalObservationSize,
} from './environment.ts';
export { busyText, type MachineLoad, machineLoad, patientMs, remedyForLate } from './files/busy-machine.ts';
export {
  checkGiven,
  findPlugin,
  type InstalledPlugin,
  installedPlugins,
  loadPlugin,
  openPlugin,
} from './files/load-plugin.ts';
export { acquireLock, type DirectoryLock, lockHolder } from './files/lock.ts';
export { makeFolder } from './files/make-folder.ts';
export { readTrouble } from './files/read-trouble.ts';
export { replaceFile, replaceFileSync } from './files/replace-file.ts';
export { storage, WriteError, writeErrorOf } from './files/write-error.ts';
export { Framing } from './framing.ts';
export {
  type ActionCommand,
  ANSWER_NEEDS,
  DECIDERS,
  type Decider,
  FRAME,
  type GeomShape,
  type GuardAnswer,
  type GuardFrame,
  type GuardNotice,
  type GuardRequest,
  isActive,
  LINK_VERSION,
  SAFETY_STATES,
  type SafetyStateName,
  type SceneLayout,
} from './guard-frame.ts';
export { BUS, BUS_COUNTERS, type BusCounter, HARDWARE, type HardwareFault } from './hardware.ts';
export { asObject, isCount, parseJson, parseObject } from './json.ts';
export { ArmKinematics } from './kinematics.ts';
export { LinkTopology } from './link-topology.ts';
export { monitoredPoints } from './monitored-points.ts';
export { refuseDebugger } from './no-debugger.ts';
export { bakeModel } from './onnx/bake-model.ts';
export { type DenseModel, readDenseModel } from './onnx/dense-model.ts';
export { ENCODER_PLACE, type InnerModel, inlineModel } from './onnx/inline-model.ts';
export { checkModel, explainRejection, firstLineOf } from './onnx/model-check.ts';
export { type ModelInfo, readModelInfo } from './onnx/model-info.ts';
export { type ModelValue, showDimensions } from './onnx/model-value.ts';
export {
  answerOfChild,
  closeParentChannel,
  endFailed,
  failureIn,
  howEnded,
  onParentGone,
  openParentChannel,
  type ParentChannel,
  sendToChild,
  sendToParent,
} from './parent-channel.ts';
export {
  markPlugin,
  type PluginBase,
  type PluginKind,
  type PluginMark,
  type PluginReference,
} from './plugin.ts';
export { forEachField, ProtoWriter } from './protobuf.ts';
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
export type { RobotState } from './robot-state.ts';
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
  COMMANDS,
  copyRobotState,
  copyTransition,
  createRobotState,
  createTransition,
  emptyFrame,
  FRAMES,
} from './row-codecs.ts';
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
export {
  decodeJson,
  decodeNumbers,
  encodeJson,
  encodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  isState,
  kindOf,
  type LearnerView,
  type PacketKind,
  type PictureView,
  type ProcessesView,
  STEP_LAYOUT,
  shownObjects,
} from './telemetry.ts';
export { clockText, counted, grouped, markdownTable, percent, significant, withoutFullStop } from './text.ts';
export { isIntervention, SOURCES, type Source, TRANSITION, type Transition } from './transition.ts';
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
export { serveJobs, WorkerPool } from './worker-pool.ts';
