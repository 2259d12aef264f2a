/** Repeated faults of a serial bus while its robot moves: the reaction, its delay, and the message to the operator. */
import { setTimeout as delay } from 'node:timers/promises';
import type { StopCause } from '../../src/guard/index.ts';
import { quantile, ReinError, Rng } from '../../src/model/index.ts';
import { type Fault, faultsOf } from '../../src/safety/index.ts';
import { busStopped } from '../../src/session/supervisor.ts';
import { BusRig } from './bus-rig.ts';
import type { TrialRobot } from './trial-robots.ts';

/** One kind of fault. */
interface TrialKind {
  readonly name: string;
  /** Fault rows that may report it; the strictest one determines the action. */
  readonly rows: readonly number[];
  /** Command for the emulator; or else a signal for the guard. */
  readonly fault?: string;
  readonly signal?: NodeJS.Signals;
  /** Command that ends the fault. */
  readonly heal?: string;
  readonly action: Fault['action'];
  /** Bound on the time until the fault is reported, ms. */
  readonly knownMs: (periodMs: number) => number;
  /** Expected torque then: off in all servos that receive, or unchanged. */
  readonly torque: 'off' | 'stays';
  /** Number of servos that do not receive. */
  readonly deaf: number;
  /** Torque goes off with the fault itself, before it can be reported. */
  readonly goesLimp?: true;
}

/** Speed below which the robot stands, rad/s: the sag of an arm that is let down counts as motion. */
const STANDING_RAD_PER_S = 0.05;
const SWING_MS = 600;
const THAW_MS = 500;
/** Maximum share of trials that may be set aside. */
const SET_ASIDE_SHARE = 0.2;
const BUSY = 'The arm stopped by itself too often before its fault came: the machine is too busy for these trials.';
/** Time after which a trial is complete, ms: stop and exit ramp. */
const WATCHED_MS = 1500;
/** Three missed replies (row 10) and the tick that evaluates them; half a tick for the emulator to inject the fault. */
const MISSED = (periodMs: number): number => 4.5 * periodMs;
/** Row 13. */
const SHOWN_MS = 100;

const ARM_TRIALS: readonly TrialKind[] = [
  {
    name: 'unplug',
    rows: [10],
    fault: 'unplug',
    heal: 'plug',
    action: 'cat1',
    knownMs: MISSED,
    torque: 'stays',
    deaf: 0,
  },
  {
    name: 'garbage',
    rows: [10, 11],
    fault: 'noise 400000',
    heal: 'noise 0',
    action: 'cat1',
    knownMs: MISSED,
    torque: 'off',
    deaf: 0,
  },
  {
    name: 'deadServo',
    rows: [10],
    fault: 'dead 3',
    heal: 'heal 3',
    action: 'cat1',
    knownMs: MISSED,
    torque: 'off',
    deaf: 1,
  },
  {
    name: 'overload',
    rows: [13],
    fault: 'overload 2',
    heal: 'heal 2',
    action: 'cat1',
    knownMs: () => SHOWN_MS,
    torque: 'off',
    deaf: 0,
  },
  {
    name: 'brownOut',
    rows: [13, 37],
    fault: 'brown-out',
    action: 'cat1',
    knownMs: () => 5 * SHOWN_MS,
    torque: 'off',
    deaf: 0,
    goesLimp: true,
  },
  { name: 'guardKilled', rows: [25], signal: 'SIGKILL', action: 'cat0', knownMs: () => 50, torque: 'off', deaf: 0 },
  {
    name: 'guardFrozen',
    rows: [24, 25],
    signal: 'SIGSTOP',
    action: 'cat0',
    knownMs: (p) => Math.max(100, 4 * p) + 50,
    torque: 'off',
    deaf: 0,
  },
];

/**
 * Differences for a car: one motor behind its own firmware, which releases it by itself without messages (row 46). A VESC that has
 * restarted requires a restart of the program, as its fence is elsewhere. A motor that is slowed down is undriven for a moment, too.
 */
const OF_CAR: Readonly<Record<string, Partial<TrialKind>>> = {
  unplug: { rows: [10, 46], action: 'cat0', torque: 'off', goesLimp: true },
  garbage: { rows: [10, 11, 46], action: 'cat0', fault: 'noise 40000', goesLimp: true },
  overload: { name: 'vescFault', fault: 'error 0 4', heal: 'heal 0', goesLimp: true },
  guardKilled: {},
  guardFrozen: {},
};
const CAR_TRIALS: readonly TrialKind[] = ARM_TRIALS.flatMap((kind) =>
  OF_CAR[kind.name] === undefined ? [] : [{ ...kind, ...OF_CAR[kind.name] }],
);

/** The trials of `robot`. */
export function busTrialsOf(robot: TrialRobot): readonly TrialKind[] {
  return robot === 'race-car-vesc' ? CAR_TRIALS : ARM_TRIALS;
}

/** Result of one trial; ms from the fault. */
export interface BusTrial {
  readonly knownMs: number;
  /** Reported rows of the fault table. */
  readonly rows: readonly number[];
  readonly actions: readonly string[];
  /** Message to the operator. */
  readonly message: string;
  /** Time at which the last servo that had to release its torque did so. */
  readonly torqueOffMs: number | null;
  readonly standsMs: number | null;
  readonly wrong?: string;
}

export interface BusTrialResult {
  readonly name: string;
  readonly rows: readonly number[];
  readonly action: Fault['action'];
  /** Distinct messages to the operator. */
  readonly messages: readonly string[];
  readonly trials: number;
  /** Trials repeated because the arm had stopped before its fault: the machine was too busy. */
  readonly setAside: number;
  readonly boundMs: number;
  readonly known: { readonly medianMs: number; readonly p95Ms: number; readonly worstMs: number };
  readonly torqueOff: { readonly medianMs: number; readonly worstMs: number } | null;
  readonly failed: readonly string[];
}

export interface BusTrialsOptions {
  readonly robot: TrialRobot;
  readonly names: readonly string[];
  readonly trials: number;
  readonly seed: number;
  readonly onTrial?: ((name: string, done: number, trial: BusTrial) => void) | undefined;
}

export async function runBusTrials({
  robot,
  names,
  trials,
  seed,
  onTrial,
}: BusTrialsOptions): Promise<readonly BusTrialResult[]> {
  const kinds = busTrialsOf(robot).filter(({ name }) => names.length === 0 || names.includes(name));
  // Two arms side by side: trials that take longer, as each needs a new start, run beside the others.
  const isSlow = ({ name }: TrialKind): boolean => name === 'brownOut' || name.startsWith('guard');
  const lanes = [kinds.filter((kind) => !isSlow(kind)), kinds.filter(isSlow)];
  const results = await Promise.all(lanes.map((lane) => runLane(lane, { robot, trials, seed, onTrial })));
  return results.flat();
}

async function runLane(
  kinds: readonly TrialKind[],
  { robot, trials, seed, onTrial }: Omit<BusTrialsOptions, 'names'>,
): Promise<readonly BusTrialResult[]> {
  if (kinds.length === 0) return [];
  const rig = await BusRig.open(robot);
  try {
    await rig.start();
    const results: BusTrialResult[] = [];
    for (const kind of kinds) {
      const rng = new Rng(seed);
      const done: BusTrial[] = [];
      let setAside = 0;
      while (done.length < trials) {
        const trial = await runTrial(rig, kind, rng);
        // On a machine that is too busy the arm stopped before its fault, so the trial says nothing about the fault.
        if (trial === undefined) {
          if (++setAside > SET_ASIDE_SHARE * trials + 2) throw new ReinError('environment', BUSY);
          continue;
        }
        done.push(trial);
        onTrial?.(kind.name, done.length, done.at(-1)!);
      }
      results.push(resultOf(rig, kind, done, setAside));
    }
    return results;
  } catch (error) {
    throw new ReinError('environment', `${(error as Error).message}\n${rig.log()}`, { cause: error });
  } finally {
    await rig.close();
  }
}

async function runTrial(rig: BusRig, kind: TrialKind, rng: Rng): Promise<BusTrial | undefined> {
  await rig.drive();
  // At any phase of the swing.
  await delay(SWING_MS + rng.uniformIn(0, SWING_MS));
  const isOfGuard = kind.signal !== undefined;
  if (isOfGuard) await rig.fault('noise 0');
  const wasMoving = rig.newest().state === 'active.policy';
  const faultS = isOfGuard ? rig.kill(kind.signal!) : await rig.fault(kind.fault!);
  await delay(WATCHED_MS);
  const trial = judge(rig, kind, faultS, await rig.samples());
  rig.rest();
  if (kind.heal !== undefined) await rig.fault(kind.heal);
  if (kind.signal === 'SIGSTOP') {
    rig.kill('SIGCONT');
    // Until then the newest frame is an old one.
    await delay(THAW_MS);
  }
  if (kind.signal === 'SIGKILL') {
    await rig.stop();
    await rig.start();
  }
  return wasMoving && !(trial.knownMs < 0) ? trial : undefined;
}

/** Cause that the guardian has to report. */
const CAUSES: Readonly<Partial<Record<NodeJS.Signals, StopCause>>> = { SIGKILL: 'guardDied', SIGSTOP: 'guardSilent' };

function judge(
  rig: BusRig,
  kind: TrialKind,
  faultS: number,
  samples: Awaited<ReturnType<BusRig['samples']>>,
): BusTrial {
  const isOfGuard = kind.signal !== undefined;
  const after = (atS: number | undefined): number => (atS === undefined ? Number.NaN : 1e3 * (atS - faultS));
  const told = rig.frames.find(({ flags }) => faultsOf(flags).some(({ row }) => kind.rows.includes(row)));
  const stopped = rig.events.find(({ event }) => event.kind === 'busStopped');
  const since = samples.filter(({ atS }) => atS >= faultS);
  // The guardian's own clock is not visible here; the reaction of the servos is.
  const allOff = since.find(({ torqued }) => torqued <= kind.deaf);
  const knownMs = isOfGuard ? after(allOff?.atS) : after(told?.atS);
  const flags = rig.frames.reduce((bits, frame) => bits | frame.flags, 0);
  const rows = isOfGuard ? [] : [...new Set(faultsOf(flags).map(({ row }) => row))];
  const named = faultsOf(told?.flags ?? 0).filter(({ row }) => kind.rows.includes(row));
  const ends = rig.frames.findIndex(({ state }) => state === 'fault');
  const hasBraked = rig.frames.slice(0, ends < 0 ? undefined : ends).some(({ state }) => state === 'stopping');
  const actions = isOfGuard
    ? [stopped === undefined ? 'none' : 'cat0']
    : [...new Set(named.map(({ action }) => action))];
  const cause = stopped?.event.kind === 'busStopped' ? stopped.event.cause : undefined;
  const stands = since.findLast(({ speedRadPerS }) => speedRadPerS > STANDING_RAD_PER_S);
  const periodMs = 1e3 / rig.model.controlHz;
  const wrong = [
    Number.isNaN(knownMs) ? 'the fault was not reported' : undefined,
    knownMs > kind.knownMs(periodMs) ? `known after ${knownMs.toFixed(0)} ms` : undefined,
    actions.includes(kind.action) ? undefined : `the reaction was ${actions.join(', ') || 'none'}`,
    kind.torque === 'stays' && since.some(({ torqued }) => torqued < rig.model.joints.length)
      ? 'servos let go'
      : undefined,
    kind.torque === 'off' && allOff === undefined ? 'torque stayed on' : undefined,
    isOfGuard && stopped === undefined ? 'the stop of the bus was not reported' : undefined,
    isOfGuard && cause !== CAUSES[kind.signal!] ? `the guardian named ${cause}` : undefined,
    // Category 1: it brakes, and is let down, before torque goes off.
    kind.action === 'cat1' && !hasBraked ? 'it did not brake' : undefined,
    messageOf(rig, kind, named) === '' ? 'there was no message for people' : undefined,
    // Limp before the fault was reported, i.e. silently.
    !isOfGuard && kind.goesLimp !== true && allOff !== undefined && allOff.atS < (told?.atS ?? 0)
      ? 'limp before the fault was reported'
      : undefined,
  ].find((text) => text !== undefined);
  return {
    knownMs,
    rows,
    actions,
    message: messageOf(rig, kind, named),
    torqueOffMs: allOff === undefined ? null : after(allOff.atS),
    standsMs: stands === undefined ? null : after(stands.atS),
    ...(wrong === undefined ? {} : { wrong }),
  };
}

/** Message to the operator for `kind` since its fault: the driver's if it has more detail, else that of the fault table. */
function messageOf(rig: BusRig, kind: TrialKind, named: readonly Fault[]): string {
  const stopped = rig.events.map(({ event }) => event).find((event) => event.kind === 'busStopped');
  // The duration is measured separately.
  if (kind.signal !== undefined)
    return stopped === undefined ? '' : busStopped({ ...stopped, tookMs: 0 }).split(' (')[0]!;
  return (
    rig.notices.find(({ row }) => row !== undefined && kind.rows.includes(row))?.message ?? named[0]?.message ?? ''
  );
}

function resultOf(rig: BusRig, kind: TrialKind, trials: readonly BusTrial[], setAside: number): BusTrialResult {
  const known = trials.map(({ knownMs }) => knownMs).filter((ms) => !Number.isNaN(ms));
  const off = trials.flatMap(({ torqueOffMs }) => torqueOffMs ?? []);
  return {
    name: kind.name,
    rows: kind.rows,
    action: kind.action,
    messages: [...new Set(trials.map(({ message }) => message))],
    trials: trials.length,
    setAside,
    boundMs: kind.knownMs(1e3 / rig.model.controlHz),
    known: { medianMs: quantile(known, 0.5), p95Ms: quantile(known, 0.95), worstMs: Math.max(...known) },
    torqueOff: off.length === 0 ? null : { medianMs: quantile(off, 0.5), worstMs: Math.max(...off) },
    failed: trials.flatMap(({ wrong }, i) => (wrong === undefined ? [] : [`trial ${i}: ${wrong}`])),
  };
}

export function formatBusTrials(results: readonly BusTrialResult[]): string {
  const ms = (value: number): string => value.toFixed(0);
  return results
    .map(({ name, rows, action, messages, trials, boundMs, known, torqueOff, failed, setAside }) => {
      const off =
        torqueOff === null
          ? 'torque stays'
          : `torque off after ${ms(torqueOff.medianMs)}, at most ${ms(torqueOff.worstMs)} ms`;
      const head = `${name.padEnd(12)} rows ${rows.join(', ')}, ${action}: known after ${ms(known.medianMs)} ms (p95 ${ms(known.p95Ms)}, worst ${ms(known.worstMs)}, bound ${ms(boundMs)}); ${off}; ${trials - failed.length} of ${trials} as promised${setAside === 0 ? '' : `, ${setAside} set aside`}`;
      return [head, ...messages.map((text) => `  says: ${text}`), ...failed.map((text) => `  ${text}`)].join('\n');
    })
    .join('\n');
}
