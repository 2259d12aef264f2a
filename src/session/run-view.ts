/** Description of a run for its watchers: sent once, so that what is sent all the time are numbers. Plain data. */
import type { RunSetup } from '../config/setup.ts';
import { type DriverSpec, worldOf } from '../drivers/index.ts';
import { quantityText, type Row } from '../record/index.ts';
import { STAGES } from '../safety/chain-report.ts';
import { FAULT_ROWS, type FaultRow, SAFETY_BITS, type SafetyBit } from '../safety/index.ts';
import { movesTool } from '../teleop/index.ts';
import { type CameraView, cameraOf } from './pictures.ts';

export interface RunView {
  readonly runId: string;
  readonly folder: string;
  readonly command: string;
  readonly version: string;
  /** Start of the session, ms since 1970. */
  readonly startedAtMs: number;
  readonly isSimulated: boolean;
  readonly task: {
    readonly name: string;
    readonly goal: string;
    readonly policyHz: number;
    readonly maxSteps: number;
    readonly demonstrations: number;
    readonly takesMarks: boolean;
    readonly isJudged: boolean;
    /** A person may begin the critical phase. */
    readonly isPhased: boolean;
    /** A person may move the tool in its own frame. */
    readonly hasToolFrame: boolean;
    readonly action: RunSetup['task']['action'];
    readonly observation: RunSetup['task']['observation'];
    readonly signalNames: readonly string[];
    /** Cameras of the observation. */
    readonly cameras: readonly CameraView[];
  };
  readonly learner: string;
  readonly robot: RunSetup['config']['robot'];
  /** Specification from which its driver is created. */
  readonly driver: DriverSpec;
  /** Stages of the safety chain, in the order of a frame's numbers. */
  readonly stages: readonly string[];
  /** Reasons why a stage acts: meaning of each bit of `FrameView.filterBits`. */
  readonly reasons: readonly Pick<SafetyBit, 'name' | 'bit' | 'message'>[];
  /** Movable objects, in the order of `FrameView.objects`. */
  readonly objects: readonly string[];
  /** Rows of the fault table. */
  readonly faults: readonly FaultLine[];
  readonly versions: Readonly<Record<string, string>>;
  /** The session's process. */
  readonly process: { readonly pid: number; readonly node: string; readonly platform: string };
}

export interface FaultLine {
  readonly row: number;
  readonly fault: string;
  readonly promise: string;
  readonly signs: readonly {
    readonly name: string;
    readonly seenBy: string;
    /** Bit in `FrameView.faultFlags`; 0 for a fault that is reported as an event. */
    readonly bit: number;
    readonly action: string;
    readonly remedy: string;
  }[];
}

/** A row of "Why is it not learning?", with its numbers in words. */
export interface DiagnosisRow extends Omit<Row, 'evidence'> {
  readonly evidence: readonly string[];
}

/** Names from which a run's packet is made. */
export interface RunNames {
  readonly setup: RunSetup;
  readonly runId: string;
  readonly folder: string;
  /** `sim`, `run`, `learn` or `ros`. */
  readonly command: string;
}

/** View of a run that begins now, without objects yet. */
export function runViewOf({ setup, runId, folder, command }: RunNames): RunView {
  const { config, task, driver } = setup;
  return {
    runId,
    folder,
    command,
    isSimulated: worldOf(config.robot.driver) !== 'real',
    version: config.versions['rein'] ?? '',
    startedAtMs: Date.now(),
    task: {
      name: task.name,
      goal: task.goal,
      policyHz: config.task.policyHz,
      maxSteps: task.maxSteps,
      demonstrations: config.task.demonstrations,
      takesMarks: task.takesMarks === true,
      isJudged: task.isJudged !== false,
      isPhased: config.task.phaseSwitch?.byButton === true,
      hasToolFrame: movesTool(task.action),
      action: task.action,
      observation: task.observation,
      signalNames: task.signalNames,
      cameras: task.topics?.flatMap((topic) => cameraOf(topic) ?? []) ?? [],
    },
    learner: config.learner.algorithm,
    robot: config.robot,
    driver,
    stages: STAGES,
    reasons: SAFETY_BITS.map(({ name, bit, message }) => ({ name, bit, message })),
    objects: [],
    faults: FAULT_LINES,
    versions: config.versions,
    process: { pid: process.pid, node: process.version, platform: `${process.platform} ${process.arch}` },
  };
}

const FAULT_LINES: readonly FaultLine[] = FAULT_ROWS.map(({ row, fault, promise, signs }) => ({
  row,
  fault,
  promise,
  signs: signs.map(signOf),
}));

function signOf(sign: FaultRow['signs'][number]): FaultLine['signs'][number] {
  const { name, seenBy, action, remedy } = sign;
  return { name, seenBy, action, remedy, bit: sign.seenBy === 'guard' ? sign.bit : 0 };
}

export function diagnosisRow({ evidence, ...row }: Row): DiagnosisRow {
  return { ...row, evidence: evidence.map(({ what, unit, value }) => `${what}: ${quantityText(value, unit)}`) };
}
