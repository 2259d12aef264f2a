/** Status of each part for `/diagnostics`, once a second: OK, WARN, ERROR or STALE, one message, and figures. */
import type { JointModel } from '../../model/index.ts';
import { BUS_COUNTERS, type GuardFrame } from '../../rows/index.ts';
import { type Fault, faultsOf, isAtLeast, messageOf, withRow } from '../../safety/index.ts';
import type { LiveSession } from '../../session/index.ts';
import { DIAGNOSTIC_STATUS, DiagnosticArray, DiagnosticStatus } from '../messages/definitions.ts';
import { setTime } from '../messages/time.ts';
import type { TopicObservation } from '../observations/topic-observation.ts';
import { EVENT_QOS } from '../port/qos.ts';
import type { RosFault, RosPort, RosPublisher } from '../port/ros-port.ts';
import type { SessionHolder } from './session-holder.ts';

export type Level = 'ok' | 'warn' | 'error' | 'stale';

/** Status of one part. */
export interface PartStatus {
  /** Suffix after the node's name: `guard`. */
  readonly part: string;
  readonly level: Level;
  readonly message: string;
  readonly values: Readonly<Record<string, string | number>>;
}

const { OK: ok, WARN: warn, ERROR: error, STALE: stale } = DIAGNOSTIC_STATUS;
const LEVELS: Readonly<Record<Level, number>> = { ok, warn, error, stale };
/** Age of the last frame from which the guard's status is stale, s. */
const STALE_AFTER_S = 0.5;
/** Time for which a fault of the ROS interface is shown, s. */
const SHOWN_S = 10;
/** Fault rows of the driver, as opposed to the guard. */
const DRIVER_ROWS: readonly number[] = [10, 13, 14, 15, 34, 37, 43, 45, 46, 47];

export interface DiagnosticsOptions {
  readonly port: RosPort;
  /** `hardware_id`. */
  readonly robotId: string;
  readonly joints: readonly JointModel[];
  /** Simulator of the robot; `undefined`: it is real. */
  readonly simulatedBy: () => string | undefined;
  readonly holder: SessionHolder;
  /** Seconds of the machine's monotonic clock. */
  readonly nowS: () => number;
  /** Lasting faults of the ROS interface that have been reported. */
  readonly lasting: () => readonly RosFault[];
  /** Status of further parts: teleop, observations. */
  readonly others: () => readonly PartStatus[];
}

export class Diagnostics {
  readonly #options: DiagnosticsOptions;
  readonly #publisher: RosPublisher<DiagnosticArray>;
  readonly #array: DiagnosticArray = DiagnosticArray.create();
  readonly #rosFaults = new Map<string, { readonly fault: RosFault; readonly atS: number }>();
  #rosFaultCount = 0;
  #tick = -1;
  #heardAtS = Number.NEGATIVE_INFINITY;
  #overruns = 0;

  constructor(options: DiagnosticsOptions) {
    this.#options = options;
    this.#publisher = options.port.advertise(DiagnosticArray, '/diagnostics', EVENT_QOS);
  }

  /** Records a fault of the ROS interface: it is shown for a while. */
  rosFault(fault: RosFault): void {
    this.#rosFaultCount++;
    this.#rosFaults.set(`${fault.kind} ${fault.where}`, { fault, atS: this.#options.nowS() });
  }

  publish(): void {
    const { port, robotId } = this.#options;
    setTime(this.#array.header.stamp, port.clock.nowNs());
    this.#array.status = this.parts().map(({ part, level, message, values }) => ({
      ...DiagnosticStatus.create(),
      level: LEVELS[level],
      // Includes the namespace: an aggregator must not merge parts of several robots.
      name: `${port.fullName.replace(/^\//, '')}: ${part}`,
      message,
      hardware_id: robotId,
      values: Object.entries(values).map(([key, value]) => ({ key, value: String(value) })),
    }));
    this.#publisher.publish(this.#array);
  }

  /** Present status of all parts. */
  parts(): readonly PartStatus[] {
    const { holder, others } = this.#options;
    const { session } = holder;
    if (session === undefined) {
      const closed = this.#closed();
      const others = ['guard', 'robot driver', 'policy'].map((part) => ({ part, ...closed }));
      return [...others, this.#awaited() ?? { part: 'learner link', ...closed }, this.#ros()];
    }
    this.#listen(session);
    return [
      this.#guard(session),
      this.#driver(session),
      policyOf(session),
      learnerOf(session),
      ...others(),
      this.#ros(),
    ];
  }

  #closed(): Omit<PartStatus, 'part'> {
    const { state, failure, wait } = this.#options.holder;
    if (wait !== undefined) return { level: 'stale', message: wait.message, values: {} };
    if (state === 'failed') {
      return { level: 'error', message: failure?.message ?? 'The session cannot be opened.', values: {} };
    }
    return { level: 'stale', message: state === 'opening' ? 'Opening.' : 'Not configured.', values: {} };
  }

  /** Status of a learner that the session waits for. */
  #awaited(): PartStatus | undefined {
    const { wait } = this.#options.holder;
    if (wait === undefined) return undefined;
    const isRefused = wait.state === 'refused';
    const values = { state: isRefused ? 'refused' : 'connecting' };
    return { part: 'learner link', level: isRefused ? 'error' : 'warn', message: wait.message, values };
  }

  #listen({ frame }: LiveSession): void {
    if (frame.tick === this.#tick) return;
    this.#tick = frame.tick;
    this.#heardAtS = this.#options.nowS();
  }

  #guard(session: LiveSession): PartStatus {
    const { frame } = session;
    const { state, decider, ticks, changedTicks, violations, overruns } = frame;
    const newOverruns = overruns - this.#overruns;
    this.#overruns = overruns;
    const room = { margin: frame.marginMin.toFixed(3), tankLevel: frame.tankLevel.toFixed(3) };
    const values = { state, decider, ticks, changedTicks, violations, overruns, newOverruns, ...room };
    const part = 'guard';
    if (this.#isSilent()) return { part, level: 'stale', message: 'No frames from the guard.', values };
    const faults = faultsOf(frame.faultFlags).filter((fault) => !DRIVER_ROWS.includes(fault.row));
    const bad = this.#worstOf(faults, frame);
    if (bad !== undefined) return { part, ...bad, values };
    if (violations > 0) return { part, level: 'error', message: `${violations} ticks broke a limit.`, values };
    if (state === 'stopped' || state === 'stopping') {
      return { part, level: 'warn', message: 'Stopped, until it is reset.', values };
    }
    if (newOverruns > 0) return { part, level: 'warn', message: `${newOverruns} ticks were late.`, values };
    return { part, level: state === 'fault' ? 'warn' : 'ok', message: `In the state ${state}.`, values };
  }

  #driver({ frame }: LiveSession): PartStatus {
    const part = 'robot driver';
    const counted = BUS_COUNTERS.flatMap((name, i) => {
      const value = frame.busCounters[i]!;
      return Number.isFinite(value) ? [[name, value]] : [];
    });
    const simulatedBy = this.#options.simulatedBy();
    const simulated = simulatedBy ?? 'no';
    const values = { measuredAtS: frame.robot.measuredAtS.toFixed(3), simulated, ...Object.fromEntries(counted) };
    if (this.#isSilent()) return { part, level: 'stale', message: 'No frames from the guard.', values };
    const faults = faultsOf(frame.faultFlags).filter((fault) => DRIVER_ROWS.includes(fault.row));
    const bad = this.#worstOf(faults, frame);
    if (bad !== undefined) return { part, ...bad, values };
    if (frame.state === 'disconnected') {
      return { part, level: 'error', message: 'The robot does not answer (fault 10).', values };
    }
    const message = simulatedBy === undefined ? 'The robot answers.' : `The robot is simulated (${simulatedBy}).`;
    return { part, level: 'ok', message, values };
  }

  #ros(): PartStatus {
    const nowS = this.#options.nowS();
    for (const [cause, { atS }] of this.#rosFaults) if (nowS - atS > SHOWN_S) this.#rosFaults.delete(cause);
    // Lasting faults are shown as long as they last.
    const newest = [...this.#rosFaults.values()].at(-1)?.fault ?? this.#options.lasting().at(-1);
    const values = { faults: this.#rosFaultCount };
    if (newest === undefined)
      return { part: 'ROS', level: 'ok', message: 'Messages and graph are as expected.', values };
    const level = newest.kind === 'callback' ? 'error' : 'warn';
    return { part: 'ROS', level, message: `${newest.where}: ${newest.message}`, values };
  }

  #worstOf(faults: readonly Fault[], frame: GuardFrame): Pick<PartStatus, 'level' | 'message'> | undefined {
    if (faults.length === 0) return undefined;
    const level = faults.some((fault) => isAtLeast(fault.action, 'cat2')) ? 'error' : 'warn';
    const said = faults.map((fault) => withRow(messageOf(fault, frame, this.#options.joints), fault.row));
    return { level, message: said.join(' ') };
  }

  #isSilent(): boolean {
    return this.#options.nowS() - this.#heardAtS > STALE_AFTER_S;
  }
}

function policyOf(session: LiveSession): PartStatus {
  const { version, ageS, latencyP50Ms, latencyP99Ms, runId, state } = session.policyState;
  const values = {
    version,
    state,
    runId,
    ageS: ageS.toFixed(1),
    latencyP50Ms: latencyP50Ms.toFixed(3),
    latencyP99Ms: latencyP99Ms.toFixed(3),
  };
  if (state === 'absent') return { part: 'policy', level: 'warn', message: 'There are no weights.', values };
  if (state === 'unusable') {
    return { part: 'policy', level: 'error', message: `Weights ${version} give no usable action.`, values };
  }
  return { part: 'policy', level: 'ok', message: `Weights ${version}.`, values };
}

function learnerOf(session: LiveSession): PartStatus {
  const { learner, pendingTransitions } = session.state;
  const part = 'learner link';
  const values = { state: learner, pendingTransitions };
  if (learner === 'absent') return { part, level: 'ok', message: 'No learner is configured.', values };
  if (learner === 'connected') return { part, level: 'ok', message: 'Connected.', values };
  if (learner === 'refused') return { part, level: 'error', message: 'The learner refuses this robot.', values };
  return { part, level: 'warn', message: 'The learner cannot be reached; recorded steps wait on disk.', values };
}

/** Status of the observation topics. */
export function observationsStatus(observations: readonly TopicObservation[], nowS: number): PartStatus {
  const part = 'observations';
  if (observations.length === 0) return { part, level: 'ok', message: 'The task reads no topics.', values: {} };
  const problems = observations.flatMap((observation) => observation.problems(nowS));
  const values = Object.fromEntries(
    observations.flatMap((observation) => {
      const { name, counters } = observation;
      const ageMs = observation.ageMs(nowS);
      return [
        [`${name}.topic`, observation.topic.topic],
        [`${name}.ageMs`, Number.isFinite(ageMs) ? ageMs.toFixed(0) : 'never'],
        [`${name}.rateHz`, observation.rateHz(nowS).toFixed(1)],
        [`${name}.malformed`, counters.malformed],
      ];
    }),
  );
  const [first] = problems;
  if (first === undefined) return { part, level: 'ok', message: 'All topics are fresh.', values };
  const hasNone = observations.every((observation) => observation.counters.taken === 0);
  return { part, level: hasNone ? 'stale' : 'error', message: withRow(first.message, first.row), values };
}
