/** Procedure of one trial of each kind, and its requirements. */
import { MOCK_FRAME } from '../../src/drivers/mock/mock-bus.ts';
import { servedS } from '../../src/guard/link/message-budget.ts';
import { brakeBegin, isStanding, motionOf, references, standstill } from './analysis.ts';
import { nowMs } from './listener-messages.ts';
import type { StopMeasureName, StopTrialName } from './result.ts';
import type { TrialRig } from './rig.ts';
import { FLOOD_MS, FLOOD_PER_S } from './trial-orders.ts';
import { brakeWayRad, detectionBoundS, LEASE_S, reactionBoundS } from './trial-robot.ts';

/** Promised bounds of the guardian: time after the guard's death, ms (`src/guard/README.md`); and silence that it tolerates, ms. */
const STOP_FRAMES_MS = 50;
const SILENCE_MS = 100;
const STOP_REPEATS = 3;
/** Time for which the bus is observed after the last stop frame, ms. */
const QUIET_MS = 40;

/** Result of one trial: figures in ms, or a sentence about a failure. */
export interface TrialOutcome {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly figures: Readonly<Partial<Record<StopMeasureName, number>>>;
  readonly wrong?: string;
  /** The failure cannot result from a machine that held up the listener. */
  readonly isCertain?: true;
}

export interface TrialKind {
  readonly name: StopTrialName;
  readonly rows: readonly number[];
  readonly message: string;
  readonly boundsMs: (rig: TrialRig) => Readonly<Partial<Record<StopMeasureName, number>>>;
  /** Runs a trial; the arm is at full speed. `index`: number of this trial. */
  readonly run: (rig: TrialRig, index: number) => Promise<TrialOutcome>;
  /** Prepares for the next trial. */
  readonly restore: (rig: TrialRig) => Promise<void>;
}

const brakeBoundsMs: TrialKind['boundsMs'] = ({ model }) => ({
  brakeBegins: 1e3 * detectionBoundS(model),
  standstill: 1e3 * reactionBoundS(model),
});

export const TRIAL_KINDS: readonly TrialKind[] = [
  {
    name: 'nodeKilled',
    rows: [3, 25],
    message: 'The node is killed (SIGKILL).',
    boundsMs: brakeBoundsMs,
    run: (rig) => stopsAfter(rig, signalTo(rig, 'node', 'SIGKILL')),
    restore: async (rig) => rig.nodeIsHere(),
  },
  {
    name: 'nodeFrozen',
    rows: [2, 3],
    message: 'The node is frozen (SIGSTOP).',
    boundsMs: brakeBoundsMs,
    run: async (rig) => holdsItsLease(rig, await stopsAfter(rig, signalTo(rig, 'node', 'SIGSTOP'))),
    restore: async (rig) => rig.kill('node', 'SIGCONT'),
  },
  {
    name: 'nodeFloods',
    rows: [31, 32],
    message: `The node sends ${FLOOD_PER_S} commands a second for ${FLOOD_MS / 1e3} s, or messages of 1 MiB, in turn, and comes again when it is cut off.`,
    // The node is followed until it has exhausted its message budget, and ignored after that.
    boundsMs: ({ model }) => ({
      brakeBegins: 1e3 * (servedS(FLOOD_PER_S, model.controlHz) + detectionBoundS(model)),
      brakeAfterLast: 1e3 * detectionBoundS(model),
      standstill: 1e3 * (servedS(FLOOD_PER_S, model.controlHz) + reactionBoundS(model)),
    }),
    run: async (rig, index) => flooded(rig, await rig.begin(index % 2 === 0 ? 'floodCommands' : 'floodBytes')),
    restore: async (rig) => rig.nodeIsHere(),
  },
  {
    name: 'nodeSendsNaN',
    rows: [1],
    message: 'The node sends NaN, every tick.',
    boundsMs: brakeBoundsMs,
    run: async (rig) => stopsAfter(rig, await rig.begin('nan')),
    restore: async () => undefined,
  },
  {
    name: 'guardKilled',
    rows: [25],
    message: 'The guard is killed (SIGKILL).',
    boundsMs: () => ({ firstStopFrame: STOP_FRAMES_MS, lastStopFrame: STOP_FRAMES_MS }),
    run: async (rig) => stoppedByFrames(rig, signalTo(rig, 'guard', 'SIGKILL')),
    restore: async (rig) => {
      await rig.ended();
      await rig.start();
    },
  },
  {
    name: 'guardFrozen',
    rows: [24],
    message: 'The guard is frozen (SIGSTOP).',
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

/** Expects the guard to brake the arm after an event at `beganAtMs`. */
async function stopsAfter(rig: TrialRig, beganAtMs: number): Promise<TrialOutcome> {
  const { frames } = rig.listener;
  const isStopped = (): boolean => frames.some(({ kind }) => kind === MOCK_FRAME.stop);
  await rig.listener.until(() => isStopped() || standstill(frames, beganAtMs) !== undefined, 'a standstill');
  const begin = brakeBegin(frames, beganAtMs, brakeWayRad(rig.model));
  const end = standstill(frames, beganAtMs);
  if (begin === undefined || end === undefined) {
    const wrong = isStopped() ? 'the guardian stopped the arm in place of the guard' : 'the arm was not seen to brake';
    return { beganAtMs, endedAtMs: nowMs(), figures: {}, wrong };
  }
  const figures = { brakeBegins: begin.atMs - beganAtMs, standstill: end.atMs - beganAtMs };
  return {
    beganAtMs,
    endedAtMs: end.atMs,
    figures,
    ...wrongFrames(isStopped()),
  };
}

function wrongFrames(hasStopFrames: boolean): Pick<TrialOutcome, 'wrong' | 'isCertain'> {
  return hasStopFrames ? { wrong: 'the guardian wrote although the guard was well', isCertain: true } : {};
}

/** A frozen node keeps its connection, so the lease of its last command has to end, and not before its time. */
function holdsItsLease(rig: TrialRig, outcome: TrialOutcome): TrialOutcome {
  const { beganAtMs, figures, wrong } = outcome;
  if (wrong !== undefined || figures.brakeBegins === undefined) return outcome;
  const heldMs = beganAtMs + figures.brakeBegins - rig.sentMs;
  // The command was stamped just before it was sent, and the first slower reference belongs to the period before it.
  if (heldMs >= 1e3 * (LEASE_S - 2 / rig.model.controlHz)) return outcome;
  return { ...outcome, wrong: `the arm braked ${heldMs.toFixed(1)} ms after its last command, whose lease is longer` };
}

/** As `stopsAfter`, for a flood: judged from its beginning and from its last command, and to its end. */
async function flooded(rig: TrialRig, beganAtMs: number): Promise<TrialOutcome> {
  const outcome = await stopsAfter(rig, beganAtMs);
  const lastCommandMs = await rig.floodIsOver();
  const overMs = nowMs();
  const { brakeBegins, standstill: standsMs } = outcome.figures;
  if (brakeBegins === undefined || standsMs === undefined) return { ...outcome, endedAtMs: overMs };
  const figures = { ...outcome.figures, brakeAfterLast: Math.max(0, beganAtMs + brakeBegins - lastCommandMs) };
  const sent = references(rig.listener.frames).filter(({ atMs }) => atMs >= beganAtMs + standsMs);
  const motion = motionOf(sent);
  const whole = { ...outcome, endedAtMs: overMs, figures };
  if (isStanding(motion)) return whole;
  const wrong = `the arm moved again while the flood went on, in ${motion.changes} references, by ${motion.farthestRad.toPrecision(2)} rad`;
  return { ...whole, wrong, isCertain: true };
}

/** Expects the guardian to stop the bus after an event at `beganAtMs`, without further references. */
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
