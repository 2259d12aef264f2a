/** Allocation and copying of this room's rows, generated from their tables. Separate, as browser pages import the tables alone. */
import { codecOf, type RowCodec } from './codec.ts';
import { type ActionCommand, COMMAND, FRAME, type GuardFrame } from './guard-frame.ts';
import { ROBOT_STATE, type RobotState } from './robot-state.ts';
import { TRANSITION, type Transition } from './transition.ts';

const ROBOT_STATES: RowCodec<RobotState> = codecOf(ROBOT_STATE);

/** Sizes: `joints`, `signals`, `actions`, and `stages` of the safety chain. */
export const FRAMES: RowCodec<GuardFrame> = codecOf(FRAME, { robot: ROBOT_STATES });

/** Size: `actions`. */
export const COMMANDS: RowCodec<ActionCommand> = codecOf(COMMAND);

const TRANSITIONS: RowCodec<Transition> = codecOf(TRANSITION);

export function createRobotState(joints: number, signals: number): RobotState {
  return ROBOT_STATES.create({ joints, signals });
}

/** Copies `from` into `into`. Sizes must match. Tick-safe. */
export const copyRobotState: (into: RobotState, from: RobotState) => void = ROBOT_STATES.copy;

/** Returns a frame with all arrays allocated; `tick` is −1. `stages`: of the safety chain. */
export function emptyFrame(joints: number, signals: number, actions: number, stages: number): GuardFrame {
  return FRAMES.create({ joints, signals, actions, stages });
}

/** Returns a transition with all arrays allocated and everything zero. */
export function createTransition(observationSize: number, actionSize: number): Transition {
  return TRANSITIONS.create({ observationSize, actionSize });
}

/** Copies `from` into `into`, arrays included. Sizes must match. Tick-safe. */
export const copyTransition: (into: Transition, from: Transition) => void = TRANSITIONS.copy;
