/**
 * Newest values of a run in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/):
 * base units in the names, counters end with `_total`. Counters of the guard restart with it, as Prometheus expects of
 * any process.
 */
import { asObject } from '../../model/index.ts';
import {
  BUS,
  BUS_COUNTERS,
  type BusCounter,
  DECIDERS,
  decodeJson,
  decodeNumbers,
  FRAME_LAYOUT,
  type FrameView,
  kindOf,
  SAFETY_STATES,
} from '../../rows/index.ts';
import { stateName } from '../../rows/portable.ts';
import type { RunStatus, RunView } from '../../session/index.ts';
import { type ShownState, shownState } from '../page/shown-state.ts';

type Labels = Readonly<Record<string, string>>;
type Kind = 'gauge' | 'counter';
/** A number, or one per set of labels; numbers that are not finite are omitted. */
type Value = number | null | undefined | readonly (readonly [Labels, number | undefined])[];
type Sources = Readonly<{
  run: RunView | undefined;
  frame: FrameView | undefined;
  status: RunStatus | undefined;
  counts: Counts;
}>;

/** Counters kept here, updated with each packet. */
interface Counts {
  succeeded: number;
  failed: number;
  interventions: number;
  warnings: number;
  errors: number;
}

/** Bucket bounds of lateness, s: from a tenth of a period at 1 kHz to ten at 100 Hz. */
const LATENESS_S = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1] as const;

const oneOf = (label: string, names: readonly string[], chosen: string | undefined): Value =>
  chosen === undefined ? undefined : names.map((name) => [{ [label]: name }, Number(name === chosen)] as const);

/** State as shown on the page. */
const shownOf = ({ frame, status }: Sources): ShownState | undefined =>
  frame && shownState({ state: stateName(frame), decider: DECIDERS[frame.decider] ?? 'hold' }, status);

const perStage = ({ run, frame }: Sources, key: 'stageTicks' | 'stageMargins'): Value =>
  frame === undefined ? undefined : run?.stages.map((stage, i) => [{ stage }, frame[key][i]] as const);

/** Values of the sliding joints, or of the turning ones. */
function perJoint({ run, frame }: Sources, key: 'positionRad' | 'torqueNm', kind: 'sliding' | 'turning'): Value {
  if (frame === undefined) return undefined;
  return run?.robot?.joints.flatMap((joint, i) => {
    const isSliding = joint.kind === 'prismatic' || joint.kind === 'path';
    return isSliding === (kind === 'sliding') ? [[{ joint: joint.name }, frame[key][i]] as const] : [];
  });
}

/** Name without prefix, kind, help text, and accessor. */
const METRICS: readonly (readonly [string, Kind, string, (from: Sources) => Value])[] = [
  ['run_info', 'gauge', 'What runs; always 1.', ({ run }) => run && [[infoOf(run), 1]]],
  ['run_start_time_seconds', 'gauge', 'When the run began, since 1970.', ({ run }) => run && run.startedAtMs / 1e3],
  [
    'safety_state',
    'gauge',
    'Whether the robot is in this state: stopped while a stop holds it, ready before the first decision.',
    (s) => oneOf('state', SAFETY_STATES, shownOf(s)?.state),
  ],
  ['decider', 'gauge', 'Whether this one decides what moves.', (s) => oneOf('decider', DECIDERS, shownOf(s)?.decider)],
  ['ticks_total', 'counter', 'Ticks of the guard.', ({ frame }) => frame?.ticks],
  ['changed_ticks_total', 'counter', 'Ticks whose command a safety stage changed.', ({ frame }) => frame?.changedTicks],
  ['overruns_total', 'counter', 'Ticks more than a period late.', ({ frame }) => frame?.overruns],
  [
    'violations_total',
    'counter',
    'Ticks in which a limit was found broken; must stay 0.',
    ({ frame }) => frame?.violations,
  ],
  ['stage_changed_ticks_total', 'counter', 'Ticks that this stage changed.', (s) => perStage(s, 'stageTicks')],
  [
    'stage_margin_ratio',
    'gauge',
    'Room left to what the stage guards: 1 far away, 0 at it.',
    (s) => perStage(s, 'stageMargins'),
  ],
  ['margin_ratio', 'gauge', 'The least of all margins.', ({ frame }) => frame?.marginMin],
  [
    'clearance_meters',
    'gauge',
    'Room to the nearest thing that must not be touched.',
    ({ frame }) => frame?.clearanceM,
  ],
  [
    'tank_energy_joules',
    'gauge',
    'Content of the energy tank.',
    ({ run, frame }) => (run?.robot?.tank ? frame?.tankEnergyJ : undefined),
  ],
  ['joint_position_radians', 'gauge', 'Measured.', (s) => perJoint(s, 'positionRad', 'turning')],
  ['joint_position_meters', 'gauge', 'Measured.', (s) => perJoint(s, 'positionRad', 'sliding')],
  ['joint_torque_newton_meters', 'gauge', 'Measured.', (s) => perJoint(s, 'torqueNm', 'turning')],
  ['joint_force_newtons', 'gauge', 'Measured.', (s) => perJoint(s, 'torqueNm', 'sliding')],
  ['fault', 'gauge', 'A flag of the fault table that the guard sees now.', faultsOf],
  ['bus_total', 'counter', 'What the bus of the robot has counted; absent without one.', busOf],
  ['bus_quarantined', 'gauge', 'Devices left out of requests.', ({ frame }) => frame?.busCounters[BUS.quarantined]],
  [
    'bus_oldest_seconds',
    'gauge',
    'Age of the oldest value of a joint.',
    ({ frame }) => frame?.busCounters[BUS.oldestS],
  ],
  [
    'bus_busy_seconds',
    'gauge',
    'Time that the bus took in the last tick.',
    ({ frame }) => frame?.busCounters[BUS.busyS],
  ],
  ['environment_steps_total', 'counter', 'Steps taken for training.', ({ status }) => status?.envSteps],
  ['updates_total', 'counter', 'Updates of the learner.', ({ status }) => status?.updates],
  ['updates_per_second', 'gauge', 'Rate of the updates.', ({ status }) => status?.updatesPerS],
  ['utd_ratio', 'gauge', 'Updates to data: reached.', ({ status }) => status?.utdAchieved],
  ['utd_target_ratio', 'gauge', 'Updates to data: asked for.', ({ status }) => status?.utdTarget],
  [
    'success_ratio',
    'gauge',
    'Share of the episodes without help that succeeded: of the newest validation where there are any, or else of the last 20.',
    successOf,
  ],
  [
    'intervened_steps_ratio',
    'gauge',
    'Share of the last steps that were not decided by the policy.',
    ({ status }) => status?.intervention.stepShare,
  ],
  ['policy_version', 'gauge', 'Weights in use; 0 is untrained.', ({ status }) => status?.policy.version],
  ['policy_age_seconds', 'gauge', 'Since these weights were published.', ({ status }) => status?.policy.ageS],
  ['link_sent_total', 'counter', 'Transitions sent to the learner.', ({ status }) => status?.link.sent],
  ['link_acknowledged_total', 'counter', 'Transitions that the learner has.', ({ status }) => status?.link.acked],
  ['link_lost_total', 'counter', 'Transitions lost; must stay 0.', ({ status }) => status?.link.lost],
  [
    'link_duplicated_total',
    'counter',
    'Transitions learned from twice; must stay 0.',
    ({ status }) => status?.link.duplicated,
  ],
  [
    'link_pending',
    'gauge',
    'Transitions that the learner has not acknowledged yet.',
    ({ status }) => status?.link.pending,
  ],
  [
    'episodes_total',
    'counter',
    'Episodes that ended.',
    ({ counts }) => [
      [{ result: 'success' }, counts.succeeded],
      [{ result: 'other' }, counts.failed],
    ],
  ],
  ['interventions_total', 'counter', 'Take-overs.', ({ counts }) => counts.interventions],
  [
    'events_total',
    'counter',
    'Events reported.',
    ({ counts }) => [
      [{ level: 'warn' }, counts.warnings],
      [{ level: 'error' }, counts.errors],
    ],
  ],
];

export class PrometheusMetrics {
  #run: RunView | undefined;
  #frame: Uint8Array | undefined;
  #status: Uint8Array | undefined;
  readonly #counts: Counts = { succeeded: 0, failed: 0, interventions: 0, warnings: 0, errors: 0 };
  readonly #lateness = { classes: LATENESS_S.map(() => 0), count: 0, sumS: 0 };

  /** Takes a packet of the stream. Costs no more than a copy: its content is read on request. */
  take(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (kind === 'frame') {
      this.#frame = packet;
      this.#late(decodeNumbers(FRAME_LAYOUT, packet).tickLateMs / 1e3);
    } else if (kind === 'status') this.#status = packet;
    else if (kind === 'run') this.#run = decodeJson(packet) as RunView;
    else if (kind === 'episode' || kind === 'intervention' || kind === 'event') this.#count(kind, packet);
  }

  /** All known metrics. `pages`: number of connected pages. */
  text(pages: number): string {
    const from: Sources = {
      run: this.#run,
      frame: this.#frame && decodeNumbers(FRAME_LAYOUT, this.#frame),
      status: this.#status && (decodeJson(this.#status) as RunStatus),
      counts: this.#counts,
    };
    const known = METRICS.map(([name, kind, help, read]) => metric(name, kind, help, read(from)));
    return [...known, metric('monitor_pages', 'gauge', 'Pages that watch.', pages), this.#latenessText()].join('');
  }

  #late(lateS: number): void {
    // An early tick is not late.
    const value = Math.max(0, lateS);
    if (!Number.isFinite(value)) return;
    this.#lateness.count++;
    this.#lateness.sumS += value;
    for (const [i, end] of LATENESS_S.entries()) if (value <= end) this.#lateness.classes[i]!++;
  }

  #count(kind: 'episode' | 'intervention' | 'event', packet: Uint8Array): void {
    const { success, isActive, level } = asObject(decodeJson(packet)) ?? {};
    if (kind === 'episode') this.#counts[success === true ? 'succeeded' : 'failed']++;
    else if (kind === 'intervention') this.#counts.interventions += Number(isActive === true);
    else if (level === 'warn') this.#counts.warnings++;
    else if (level === 'error') this.#counts.errors++;
  }

  /** Lateness of the worst tick between two frames of the stream. */
  #latenessText(): string {
    const { classes, count, sumS } = this.#lateness;
    const name = `${PREFIX}tick_lateness_seconds`;
    const bucket = (end: string, value: number): string => `${name}_bucket{le="${end}"} ${value}\n`;
    return [
      `# HELP ${name} How late the worst tick was between two frames of the stream, of which there are 50 a second.\n`,
      `# TYPE ${name} histogram\n`,
      ...LATENESS_S.map((end, i) => bucket(String(end), classes[i]!)),
      bucket('+Inf', count),
      `${name}_sum ${sumS}\n${name}_count ${count}\n`,
    ].join('');
  }
}

const PREFIX = 'rein_';

function metric(name: string, kind: Kind, help: string, value: Value): string {
  const samples = typeof value === 'object' && value !== null ? value : [[{}, value ?? undefined] as const];
  const lines = samples.flatMap(([labels, number]) =>
    number !== undefined && Number.isFinite(number) ? [`${PREFIX}${name}${labelsText(labels)} ${number}\n`] : [],
  );
  return lines.length === 0
    ? ''
    : `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} ${kind}\n${lines.join('')}`;
}

function labelsText(labels: Labels): string {
  const texts = Object.entries(labels).map(
    ([key, value]) => `${key}="${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`,
  );
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}

function infoOf({ runId, command, version, task, robot, learner }: RunView): Labels {
  return {
    run_id: runId,
    command,
    version,
    task: task?.name ?? '',
    robot: robot?.name ?? '',
    algorithm: learner ?? '',
  };
}

function faultsOf({ run, frame }: Sources): Value {
  if (frame === undefined) return undefined;
  return run?.faults?.flatMap(({ row, signs }) =>
    signs.flatMap(({ name, bit }) =>
      (frame.faultFlags & bit) === 0 ? [] : [[{ row: String(row), name }, 1] as const],
    ),
  );
}

/** Monotonic bus counters. */
const RISING: readonly BusCounter[] = BUS_COUNTERS.slice(0, BUS.quarantined);

function busOf({ frame }: Sources): Value {
  return frame && RISING.map((count) => [{ count }, frame.busCounters[BUS[count]]] as const);
}

function successOf({ status }: Sources): Value {
  if (status === undefined || status.success.episodes === 0) return undefined;
  return status.success.successes / status.success.episodes;
}
