/**
 * A task of one's own, judged by people: they arrange the surroundings, and mark each episode as a success or a failure.
 * An episode without a mark is cut at its time limit. What is seen is what the robot measures and what topics give.
 */
import {
  type ActionSpec,
  type GuardFrame,
  isFree,
  type JointModel,
  type ObservationField,
  type ObservationSpec,
  ReinError,
  type RobotModel,
  type SceneLayout,
} from '../core/index.ts';
import { type ObservationSource, type ObservationTopic, topicSize } from './observation-source.ts';
import { type OnceConfig, onceFields } from './once-fields.ts';
import type { Task, Verdict } from './task.ts';

/** What an observation holds besides the previous executed action, which is always there. */
export interface JudgedObservation {
  /** Positions of joints; not of a base's free axes, which only changes mean something of. */
  readonly jointPositions: boolean;
  readonly jointVelocities: boolean;
  /** Place and orientation of the tool; arms only. */
  readonly toolPose: boolean;
  /** Force and torque on the tool; arms only. */
  readonly wrench: boolean;
  /** Numbers of the driver by name, each divided by its scale. */
  readonly signals: readonly { readonly name: string; readonly scale: number }[];
  readonly topics: readonly ObservationTopic[];
}

export interface OperatorJudgedConfig extends OnceConfig {
  readonly name: string;
  readonly maxSteps: number;
  readonly historyFrames: number;
  readonly observationDelaySteps?: number;
  readonly action: ActionSpec;
  readonly observation: JudgedObservation;
}

const FORCE_N = 10;
const TORQUE_NM = 0.5;

/** Writes one field of the observation at `at` of `out`. */
type FieldWriter = (out: Float32Array, at: number, frame: GuardFrame, executed: Float32Array) => void;

interface Part {
  readonly field: ObservationField;
  readonly write: FieldWriter;
}

export class OperatorJudged implements Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly signalNames: readonly string[];
  readonly maxSteps: number;
  readonly observationDelaySteps: number;
  readonly takesMarks = true;
  readonly isArrangedByPeople = true;
  readonly goal: string = 'a person judges it: m marks a success, n a failure, and either ends the episode';
  readonly topics: readonly ObservationTopic[];
  readonly #parts: readonly Part[];
  #sources: readonly ObservationSource[] = [];

  /** Throws `RangeError` where nothing is observed but the action, and for a topic that gives nothing. */
  constructor(config: OperatorJudgedConfig, model: RobotModel) {
    const { observation, action } = config;
    this.name = config.name;
    this.maxSteps = config.maxSteps;
    this.observationDelaySteps = config.observationDelaySteps ?? 0;
    this.action = action;
    this.signalNames = observation.signals.map(({ name }) => name);
    this.topics = observation.topics;
    const size = action.dimensions.length;
    this.#parts = [
      ...robotParts(observation, model),
      ...observation.signals.map((signal, i) => signalPart(signal, i)),
      ...observation.topics.map((topic, i) => this.#topicPart(topic, i)),
      {
        field: { name: 'previous_executed', size, unit: '1', frame: 'none' },
        write: (out, at, _frame, executed) => {
          for (let k = 0; k < size; k++) out[at + k] = executed[k]!;
        },
      },
    ];
    if (this.#parts.length === 1) throw new RangeError('the observation holds nothing that is measured');
    const fields = this.#parts.map(({ field }) => field);
    this.observation = { frames: config.historyFrames, fields, ...onceFields(config, action) };
  }

  /** Where the values of `topics` come from, in the same order. Throws `RangeError` when they do not fit. */
  attach(sources: readonly ObservationSource[]): void {
    const wanted = this.topics.map((topic) => `${topic.name} (${topicSize(topic)})`).join(', ');
    const given = sources.map(({ name, size }) => `${name} (${size})`).join(', ');
    if (wanted !== given) throw new RangeError(`the task reads ${wanted}; there are ${given}`);
    this.#sources = sources;
  }

  /** People arrange the surroundings: there is nothing to draw. Throws. */
  drawLayout(): SceneLayout {
    throw new ReinError('task', `People arrange the surroundings of task ${this.name}; nothing can be drawn.`);
  }

  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void {
    let at = offset;
    for (let i = 0; i < this.#parts.length; i++) {
      const { field, write } = this.#parts[i]!;
      write(out, at, frame, previousExecuted);
      at += field.size;
    }
  }

  /** Undecided: only a mark decides. */
  judge(_frame: GuardFrame, out: Verdict): void {
    out.reward = 0;
    out.terminated = false;
    out.success = false;
  }

  #topicPart(topic: ObservationTopic, i: number): Part {
    const size = topicSize(topic);
    if (typeof size === 'string') throw new RangeError(size);
    return {
      field: { name: topic.name, size, unit: `${topic.type} / ${topic.scale}`, frame: 'none' },
      write: (out, at) => {
        const source = this.#sources[i];
        if (source === undefined) {
          throw new ReinError(
            'task',
            `Task ${this.name} reads the topic ${topic.topic}, and nobody reads topics here.`,
            {
              remedy: 'Run it as the ROS 2 node: ros2 launch rein robot.launch.py.',
            },
          );
        }
        source.fill(out, at);
      },
    };
  }
}

function robotParts(observation: JudgedObservation, model: RobotModel): Part[] {
  const parts: Part[] = [];
  const placed = model.joints.map((joint, i) => ({ joint, i })).filter(({ joint }) => !isFree(joint));
  if (observation.jointPositions && placed.length > 0) parts.push(positionPart(model, placed));
  if (observation.jointVelocities) parts.push(velocityPart(model.joints));
  if (model.base !== undefined) return parts;
  if (observation.toolPose) parts.push(placePart(model), orientationPart());
  if (observation.wrench) parts.push(wrenchPart('force', 0, FORCE_N, 'N'), wrenchPart('torque', 3, TORQUE_NM, 'N*m'));
  return parts;
}

function positionPart(model: RobotModel, placed: readonly { joint: JointModel; i: number }[]): Part {
  return {
    field: { name: 'joint_position', size: placed.length, unit: 'rad / pi from home', frame: 'none' },
    write: (out, at, { robot }) => {
      for (let k = 0; k < placed.length; k++) {
        const { i } = placed[k]!;
        out[at + k] = (robot.positionRad[i]! - model.homeRad[i]!) / Math.PI;
      }
    },
  };
}

function velocityPart(joints: readonly JointModel[]): Part {
  return {
    field: { name: 'joint_velocity', size: joints.length, unit: 'share of the highest', frame: 'none' },
    write: (out, at, { robot }) => {
      for (let i = 0; i < joints.length; i++) out[at + i] = robot.velocityRadPerS[i]! / joints[i]!.velocityMaxRadPerS;
    },
  };
}

/** The workspace box is [−1, 1] in each direction. */
function placePart({ workspace: { minM, maxM } }: RobotModel): Part {
  return {
    field: { name: 'tool_position', size: 3, unit: 'share of the workspace', frame: 'base' },
    write: (out, at, { measuredTcp }) => {
      for (let k = 0; k < 3; k++) {
        out[at + k] = (2 * measuredTcp[k]! - minM[k]! - maxM[k]!) / (maxM[k]! - minM[k]!);
      }
    },
  };
}

/** The tool's x and y axes: unlike angles and quaternions they never jump. */
function orientationPart(): Part {
  return {
    field: { name: 'tool_axes', size: 6, unit: '1', frame: 'base' },
    write: (out, at, { measuredTcp }) => {
      const w = measuredTcp[3]!;
      const x = measuredTcp[4]!;
      const y = measuredTcp[5]!;
      const z = measuredTcp[6]!;
      out[at] = 1 - 2 * (y * y + z * z);
      out[at + 1] = 2 * (x * y + w * z);
      out[at + 2] = 2 * (x * z - w * y);
      out[at + 3] = 2 * (x * y - w * z);
      out[at + 4] = 1 - 2 * (x * x + z * z);
      out[at + 5] = 2 * (y * z + w * x);
    },
  };
}

function wrenchPart(name: string, from: number, scale: number, unit: string): Part {
  return {
    field: { name, size: 3, unit: `tanh(${unit} / ${scale})`, frame: 'base' },
    write: (out, at, { robot }) => {
      for (let k = 0; k < 3; k++) out[at + k] = Math.tanh(robot.wrench[from + k]! / scale);
    },
  };
}

function signalPart({ name, scale }: { readonly name: string; readonly scale: number }, i: number): Part {
  return {
    field: { name: `signal_${name}`, size: 1, unit: `1 / ${scale}`, frame: 'none' },
    write: (out, at, { robot }) => {
      out[at] = robot.signals[i]! / scale;
    },
  };
}
