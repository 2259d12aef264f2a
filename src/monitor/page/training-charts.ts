/**
 * Charts of a run's training, in the monitor and in its report: the metrics drawn over environment steps. Pure: records
 * in, points out; imports nothing that a browser lacks.
 * Shares are 0..1; intervals are 95 %.
 */
import { wilsonInterval } from '../../model/portable.ts';

/** Line of `metrics.jsonl` or `metrics-learner.jsonl`; fields are checked before they are drawn. */
export type MetricLine = Readonly<Record<string, unknown>> & {
  readonly kind: string;
  readonly envStep: number;
  readonly tS: number;
};

/** `low` and `high`: its interval, if any. */
export interface Point {
  readonly step: number;
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

/** Series colour of the pages. */
export type Hue = 'blue' | 'orange' | 'green' | 'red' | 'violet' | 'grey';

export interface Series {
  readonly label: string;
  readonly hue: Hue;
  readonly points: (lines: readonly MetricLine[]) => readonly Point[];
  /** Never smoothed: it is an average over a window, a count or a setting already. */
  readonly isExact?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly isLog?: boolean;
  /** Reading advice, one sentence. */
  readonly note?: string;
}

/** Kinds of records that charts read; the others make up most of a file. */
const READ: readonly string[] = ['setup', 'episode', 'validation', 'evaluation', 'update', 'values', 'calibration'];
/** Kinds that are subsampled once there are more than can be drawn; episodes are counted, and the others are few. */
const THINNED: readonly string[] = ['update', 'values', 'calibration'];
/** Episodes in the window of a rate. */
const WINDOW = 20;

/** Parses the lines of a file's part that charts read; a line truncated by a crash is skipped. */
export function readLines(text: string): readonly MetricLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as MetricLine;
      return typeof value.envStep === 'number' && READ.includes(value.kind) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** Bounded store of a run's lines as they arrive: it covers the whole run, in part subsampled. */
export class KeptLines {
  readonly #most: number;
  readonly #kinds = new Map<string, { lines: MetricLine[]; seen: number; every: number }>();
  /** End of the oldest kept episode, in environment steps; 0 if none was dropped. */
  #sinceStep = 0;

  /** `most`: largest number of lines of each kind. */
  constructor(most = MOST_LINES) {
    this.#most = most;
  }

  add(lines: readonly MetricLine[]): void {
    for (const line of lines) {
      const kept = this.#kinds.get(line.kind) ?? { lines: [], seen: 0, every: 1 };
      this.#kinds.set(line.kind, kept);
      if (kept.seen++ % kept.every !== 0) continue;
      kept.lines.push(line);
      if (kept.lines.length > this.#most) this.#makeRoom(line.kind, kept);
    }
  }

  /** Lines in order within each kind. */
  get all(): readonly MetricLine[] {
    return [...this.#kinds.values()].flatMap(({ lines }) => lines);
  }

  /** Sentence on what is incomplete; empty if nothing is. */
  get leftOut(): string {
    const every = Math.max(...THINNED.map((kind) => this.#kinds.get(kind)?.every ?? 1));
    return [
      ...(every === 1 ? [] : [`Of the learner's figures one in ${every} is kept.`]),
      ...(this.#sinceStep === 0 ? [] : [`Episodes before step ${this.#sinceStep} are left out.`]),
    ].join(' ');
  }

  #makeRoom(kind: string, kept: { lines: MetricLine[]; every: number }): void {
    if (THINNED.includes(kind)) {
      kept.lines = kept.lines.filter((_, i) => i % 2 === 0);
      kept.every *= 2;
    } else {
      kept.lines = kept.lines.slice(kept.lines.length / 2);
      this.#sinceStep = kept.lines[0]!.envStep;
    }
  }
}

/** At some hundred bytes each, the episodes of a robot in weeks. */
const MOST_LINES = 100_000;

/** At most `limit` points, each the mean of equally many neighbours. */
export function thinned(points: readonly Point[], limit: number): readonly Point[] {
  const group = Math.ceil(points.length / limit);
  if (group <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / group) }, (_, i) =>
    meanOf(points.slice(i * group, (i + 1) * group)),
  );
}

function meanOf(points: readonly Point[]): Point {
  const of = (key: 'step' | 'value' | 'low' | 'high'): number =>
    sum(points.map((point) => point[key] ?? 0)) / points.length;
  const middle = { step: of('step'), value: of('value') };
  return points[0]!.low === undefined ? middle : { ...middle, low: of('low'), high: of('high') };
}

/** Aggregates curves: their mean at each step of the longest, and minimum and maximum of those that reach so far. */
export function banded(curves: readonly (readonly Point[])[]): readonly Point[] {
  const [longest = []] = [...curves].sort((a, b) => (b.at(-1)?.step ?? 0) - (a.at(-1)?.step ?? 0));
  const places = curves.map(() => 0);
  return longest.map(({ step }) => {
    const values = curves.flatMap((curve, c) => {
      while ((curve[places[c]! + 1]?.step ?? Number.POSITIVE_INFINITY) <= step) places[c]!++;
      const point = curve[places[c]!];
      const isThere = point !== undefined && point.step <= step && step <= curve.at(-1)!.step;
      return isThere ? [point.value] : [];
    });
    return { step, value: sum(values) / values.length, low: Math.min(...values), high: Math.max(...values) };
  });
}

/** Numeric field of each record of a kind. */
function numbers(kind: string, key: string): Series['points'] {
  return (lines) =>
    lines.flatMap((line) => {
      const value = line.kind === kind ? line[key] : undefined;
      return typeof value === 'number' ? [{ step: line.envStep, value }] : [];
    });
}

/** Success rate of the last episodes that were not cut: of all, or of those without help. */
function successes(of: 'all' | 'alone'): Series['points'] {
  return (lines) => {
    const last: number[] = [];
    return trainingEpisodes(lines).flatMap((line) => {
      if (line['cutBy'] !== undefined || (of === 'alone' && Number(line['interventions']) > 0)) return [];
      last.push(line['success'] === true ? 1 : 0);
      if (last.length > WINDOW) last.shift();
      return [rate(line.envStep, sum(last), last.length)];
    });
  };
}

function rounds(kind: 'validation' | 'evaluation'): Series['points'] {
  return (lines) =>
    lines.flatMap((line) => {
      const { successes: hits, episodes } = line;
      const isRate = line.kind === kind && typeof hits === 'number' && typeof episodes === 'number' && episodes >= hits;
      return isRate ? [rate(line.envStep, hits, episodes)] : [];
    });
}

function rate(step: number, hits: number, of: number): Point {
  return { step, value: of === 0 ? 0 : hits / of, ...wilsonInterval(hits, of) };
}

/** Over the last episodes: intervention segments per episode, or share of intervention steps. */
function interventions(of: 'segments' | 'steps'): Series['points'] {
  return (lines) => {
    const last: (readonly [part: number, whole: number])[] = [];
    return trainingEpisodes(lines).map((line) => {
      const part = Number(line[of === 'segments' ? 'interventions' : 'interventionSteps']);
      last.push([part, of === 'segments' ? 1 : Number(line['steps'])]);
      if (last.length > WINDOW) last.shift();
      return { step: line.envStep, value: sum(last.map(([x]) => x)) / Math.max(1, sum(last.map(([, x]) => x))) };
    });
  };
}

/** Mean over a record's episodes of the critic's predicted return (0), or of the realised one (1). */
function calibration(place: 0 | 1): Series['points'] {
  return (lines) =>
    lines.flatMap((line) => {
      const pairs = line.kind === 'calibration' ? (line['pairs'] as readonly (readonly [number, number])[]) : [];
      if (!Array.isArray(pairs) || pairs.length === 0) return [];
      return [{ step: line.envStep, value: sum(pairs.map((pair) => pair[place])) / pairs.length }];
    });
}

/** Configured updates per step, from the first update to the last. */
const askedUtd: Series['points'] = (lines) => {
  const setup = lines.findLast(({ kind }) => kind === 'setup');
  const utd = (setup?.['learner'] as { readonly utd?: unknown } | null | undefined)?.utd;
  const updates = lines.filter(({ kind }) => kind === 'update');
  if (typeof utd !== 'number' || updates.length === 0) return [];
  return [updates[0]!, updates.at(-1)!].map(({ envStep }) => ({ step: envStep, value: utd }));
};

/** Recorded steps so far by decider, as held by the learner's buffers. */
function recorded(by: 'demonstration' | 'person' | 'policy'): Series['points'] {
  return (lines) => {
    let count = 0;
    return lines.flatMap((line) => {
      if (line.kind !== 'episode') return [];
      const steps = Number(line['steps']);
      const helped = Number(line['interventionSteps']);
      if (line['purpose'] === 'demonstration') count += by === 'demonstration' ? steps : 0;
      else if (line['purpose'] === 'training') count += by === 'person' ? helped : by === 'policy' ? steps - helped : 0;
      else return [];
      return [{ step: line.envStep, value: count }];
    });
  };
}

/** Steps per second of run time, over the last episodes. */
const stepsPerS: Series['points'] = (lines) => {
  const episodes = trainingEpisodes(lines);
  return episodes.slice(1).flatMap((line, i) => {
    const before = episodes[Math.max(0, i + 1 - WINDOW)]!;
    const [steps, seconds] = [line.envStep - before.envStep, line.tS - before.tS];
    // A restarted run continues to count steps and time; the interval between is no throughput.
    return seconds > 0 && steps >= 0 ? [{ step: line.envStep, value: steps / seconds }] : [];
  });
};

function trainingEpisodes(lines: readonly MetricLine[]): readonly MetricLine[] {
  return lines.filter((line) => line.kind === 'episode' && line['purpose'] === 'training');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const CHARTS: readonly Chart[] = [
  {
    title: 'Success',
    note: 'Where a learner trains, episodes explore; those that were cut do not count.',
    unit: 'share',
    series: [
      { label: `all, last ${WINDOW}`, hue: 'blue', points: successes('all'), isExact: true },
      { label: 'without help', hue: 'orange', points: successes('alone'), isExact: true },
    ],
  },
  {
    title: 'Success of the policy that is kept',
    note: 'Without help; validation chooses the policy that is kept, evaluation measures it on other episodes.',
    unit: 'share',
    series: [
      { label: 'validation', hue: 'green', points: rounds('validation'), isExact: true },
      { label: 'evaluation', hue: 'violet', points: rounds('evaluation'), isExact: true },
    ],
  },
  {
    title: 'Interventions',
    note: 'Learning shows as fewer of them.',
    unit: 'an episode',
    series: [{ label: `segments, last ${WINDOW}`, hue: 'orange', points: interventions('segments'), isExact: true }],
  },
  {
    title: 'Steps that a person or the script decided',
    unit: 'share',
    series: [{ label: `last ${WINDOW} episodes`, hue: 'orange', points: interventions('steps'), isExact: true }],
  },
  {
    title: 'Return',
    unit: 'sum of rewards',
    series: [
      { label: 'return', hue: 'blue', points: (lines) => numbers('episode', 'returnSum')(trainingEpisodes(lines)) },
    ],
  },
  {
    title: 'Is Q believable?',
    note: 'Means over episodes: where Q runs above what was realised, the critic overestimates.',
    unit: 'discounted return',
    series: [
      { label: 'Q expected', hue: 'blue', points: calibration(0) },
      { label: 'realised', hue: 'orange', points: calibration(1) },
      { label: 'Q, demonstrations', hue: 'violet', points: numbers('values', 'demonstrationQ') },
      { label: 'theirs, realised', hue: 'green', points: numbers('values', 'demonstrationReturn') },
    ],
  },
  { title: 'Critic loss', unit: 'log', isLog: true, series: [learner('criticLoss', 'violet')] },
  { title: 'Actor loss', unit: '', series: [learner('actorLoss', 'violet')] },
  { title: 'Entropy', unit: 'nats', series: [learner('entropy', 'green')] },
  { title: 'Temperature', unit: 'log', isLog: true, series: [learner('temperature', 'red')] },
  {
    title: 'Updates per step',
    unit: 'UTD',
    series: [
      { label: 'reached', hue: 'blue', points: numbers('update', 'utd'), isExact: true },
      { label: 'asked', hue: 'grey', points: askedUtd, isExact: true },
    ],
  },
  {
    title: 'What there is to learn from',
    unit: 'steps',
    series: [
      { label: 'policy', hue: 'blue', points: recorded('policy'), isExact: true },
      { label: 'person', hue: 'orange', points: recorded('person'), isExact: true },
      { label: 'demonstrations', hue: 'green', points: recorded('demonstration'), isExact: true },
    ],
  },
  {
    title: 'Throughput',
    unit: 'a second',
    series: [
      { label: 'updates', hue: 'violet', points: numbers('update', 'updatesPerS') },
      { label: 'steps', hue: 'blue', points: stepsPerS, isExact: true },
    ],
  },
  {
    title: 'Ticks that the safety chain changed',
    unit: 'share',
    series: [
      {
        label: 'an episode',
        hue: 'red',
        points: (lines) => numbers('episode', 'filterShare')(trainingEpisodes(lines)),
      },
    ],
  },
];

function learner(key: string, hue: Hue): Series {
  return { label: spoken(key), hue, points: numbers('update', key) };
}

/** Fields of `update` drawn above, or that are no quantity of training. */
const DRAWN: readonly string[] = [
  'criticLoss',
  'actorLoss',
  'entropy',
  'temperature',
  'utd',
  'updatesPerS',
  'update',
  'tS',
  'envStep',
];

/** All charts with data in `lines`: the standard ones, then further metrics of the learner's algorithm. */
export function chartsOf(lines: readonly MetricLine[]): readonly Chart[] {
  const update = lines.find(({ kind }) => kind === 'update') ?? {};
  const own = Object.keys(update).filter(
    (key) => !DRAWN.includes(key) && typeof (update as MetricLine)[key] === 'number',
  );
  const further = own.map(
    (key): Chart => ({ title: capital(spoken(key)), unit: '', series: [learner(key, 'violet')] }),
  );
  return [...CHARTS, ...further].filter(({ series }) => series.some(({ points }) => points(lines).length > 0));
}

/** Bias-corrected exponential moving average; 0 leaves the series unchanged. `weight` of the past, [0, 1). */
export function smoothed(points: readonly Point[], weight: number): readonly Point[] {
  if (weight === 0) return points;
  let mean = 0;
  let known = 0;
  return points.map(({ step, value }) => {
    mean = weight * mean + (1 - weight) * value;
    known = weight * known + (1 - weight);
    return { step, value: mean / known };
  });
}

/** `tdErrorAbs` as `td error abs`. */
function spoken(key: string): string {
  return key.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
