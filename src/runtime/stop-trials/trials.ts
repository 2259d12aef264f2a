/** What is done in one trial of each kind, and what it must show. */
import { MOCK_FRAME } from '../../drivers/mock/index.ts';
import { brakeBegin, references, standstill } from './analysis.ts';
import { nowMs } from './listener-messages.ts';
import type { StopMeasureName, StopTrialName } from './result.ts';
import type { TrialRig } from './rig.ts';
import { detectionBoundS, reactionBoundS } from './trial-robot.ts';

/** Promised for the guardian: so long after the guard's death, ms (`docs/safety-case.md`); and after so much silence. */
const STOP_FRAMES_MS = 50;
const SILENCE_MS = 100;
const STOP_REPEATS = 3;
/** After the last stop frame, the bus is listened to for so long, ms. */
const QUIET_MS = 40;

/** One trial: figures in ms, or a sentence that says what did not happen. */
export interface TrialOutcome {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly figures: Readonly<Partial<Record<StopMeasureName, number>>>;
  readonly wrong?: string;
}

export interface TrialKind {
  readonly name: StopTrialName;
  readonly rows: readonly number[];
  readonly sentence: string;
  readonly boundsMs: (rig: TrialRig) => Readonly<Partial<Record<StopMeasureName, number>>>;
  /** The arm is at full speed. `index`: which trial this is. */
  readonly run: (rig: TrialRig, index: number) => Promise<TrialOutcome>;
  /** Makes ready for the next. */
  readonly restore: (rig: TrialRig) => Promise<void>;
}

const brakeBoundsMs: TrialKind['boundsMs'] = ({ model }) => ({
  brakeBegins: 1e3 * detectionBoundS(model),
  standstill: 1e3 * reactionBoundS(model),
});

export const TRIAL_KINDS: readonly TrialKind[] = [
  {
    ...{ name: 'nodeKilled', rows: [3, 25], sentence: 'The node is killed (SIGKILL).', boundsMs: brakeBoundsMs },
    run: (rig) => stopsAfter(rig, signalTo(rig, 'node', 'SIGKILL')),
    restore: async (rig) => rig.nodeIsHere(),
  },
  {
    ...{ name: 'nodeFrozen', rows: [2, 3], sentence: 'The node is frozen (SIGSTOP).', boundsMs: brakeBoundsMs },
    run: (rig) => stopsAfter(rig, signalTo(rig, 'node', 'SIGSTOP')),
    restore: async (rig) => rig.kill('node', 'SIGCONT'),
  },
  {
    ...{ name: 'nodeFloods', rows: [31, 32], boundsMs: brakeBoundsMs },
    sentence: 'The node sends as many commands as it can, or messages of 1 MiB, in turn.',
    run: async (rig, index) => stopsAfter(rig, await rig.begin(index % 2 === 0 ? 'floodCommands' : 'floodBytes')),
    restore: async (rig) => rig.nodeIsHere(),
  },
  {
    ...{ name: 'nodeSendsNaN', rows: [1], sentence: 'The node sends NaN, every tick.', boundsMs: brakeBoundsMs },
    run: async (rig) => stopsAfter(rig, await rig.begin('nan')),
    restore: async () => undefined,
  },
  {
    ...{ name: 'guardKilled', rows: [25], sentence: 'The guard is killed (SIGKILL).' },
    boundsMs: () => ({ firstStopFrame: STOP_FRAMES_MS, lastStopFrame: STOP_FRAMES_MS }),
    run: async (rig) => stoppedByFrames(rig, signalTo(rig, 'guard', 'SIGKILL')),
    restore: async (rig) => {
      await rig.ended();
      await rig.start();
    },
  },
  {
    ...{ name: 'guardFrozen', rows: [24], sentence: 'The guard is frozen (SIGSTOP).' },
    boundsMs: () => ({ firstStopFrame: SILENCE_MS + STOP_FRAMES_MS, lastStopFrame: SILENCE_MS + STOP_FRAMES_MS }),
    run: async (rig) => stoppedByFrames(rig, signalTo(rig, 'guard', 'SIGSTOP')),
    restore: async (rig) => rig.kill('guard', 'SIGCONT'),
  },
];

function signalTo(rig: TrialRig, name: 'node' | 'guard', signal: NodeJS.Signals): number {
  const atMs = nowMs();
  rig.kill(name, signal);
  return atMs;
}

/** The guard brakes the arm after what began at `beganAtMs`. */
async function stopsAfter(rig: TrialRig, beganAtMs: number): Promise<TrialOutcome> {
  const { frames } = rig.listener;
  await rig.listener.until(() => standstill(frames, beganAtMs) !== undefined, 'a standstill');
  const limit = rig.model.joints[0]!.velocityMaxRadPerS;
  const begin = brakeBegin(frames, beganAtMs, limit);
  const end = standstill(frames, beganAtMs);
  if (begin === undefined || end === undefined) {
    return { beganAtMs, endedAtMs: nowMs(), figures: {}, wrong: 'the arm was not seen to brake' };
  }
  const figures = { brakeBegins: begin.atMs - beganAtMs, standstill: end.atMs - beganAtMs };
  return {
    beganAtMs,
    endedAtMs: end.atMs,
    figures,
    ...wrongFrames(frames.some(({ kind }) => kind === MOCK_FRAME.stop)),
  };
}

function wrongFrames(hasStopFrames: boolean): { readonly wrong?: string } {
  return hasStopFrames ? { wrong: 'the guardian wrote although the guard was well' } : {};
}

/** The guardian stops the bus after what began at `beganAtMs`, and then nothing more comes. */
async function stoppedByFrames(rig: TrialRig, beganAtMs: number): Promise<TrialOutcome> {
  const { frames } = rig.listener;
  const stops = () => frames.filter(({ kind }) => kind === MOCK_FRAME.stop);
  await rig.listener.until(() => stops().length >= STOP_REPEATS, 'three stop frames');
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const [first, , last] = stops();
  const figures = { firstStopFrame: first!.atMs - beganAtMs, lastStopFrame: last!.atMs - beganAtMs };
  const after = references(frames).filter(({ atMs }) => atMs > first!.atMs).length;
  const wrong = after === 0 ? {} : { wrong: `${after} references came after the first stop frame` };
  return { beganAtMs, endedAtMs: nowMs(), figures, ...wrong };
}
