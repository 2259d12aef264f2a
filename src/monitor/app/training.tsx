/** Training view: figures of the run, and of others beside it, over environment steps. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ChartLine } from '../page/chart.ts';
import { type Difference, differences, settingsOf } from '../page/settings.ts';
import {
  banded,
  type Chart,
  chartsOf,
  type Hue,
  KeptLines,
  type MetricLine,
  type Point,
  readLines,
  smoothed,
} from '../page/training-charts.ts';
import type { RunListing } from '../web/run-files.ts';
import { MOST_POINTS, Plot } from './plot.tsx';
import { Scroll } from './scroll.tsx';
import { readFile, readJson } from './stream.ts';
import { timeOf } from './times.ts';

/** Metric lines of a run so far, and the number of bytes read of its files. */
class FollowedRun {
  /** Empty for the run of this monitor. */
  readonly name: string;
  readonly #bytes = { metrics: 0, learner: 0 };
  readonly #kept: KeptLines = new KeptLines();
  #lines: readonly MetricLine[] = [];
  /** Resolved settings of the run; empty until received. */
  settings: ReadonlyMap<string, string> = new Map();

  constructor(name: string) {
    this.name = name;
  }

  get lines(): readonly MetricLine[] {
    return this.#lines;
  }

  /** Sentence on lines that are not drawn; empty if all are. */
  get leftOut(): string {
    return this.#kept.leftOut;
  }

  async readSettings(): Promise<void> {
    this.settings = settingsOf(await readFile('config', 0, this.name).catch(() => ''));
  }

  /** Reads added lines, part by part; false if there are none. */
  async follow(): Promise<boolean> {
    let isNew = false;
    for (const file of ['metrics', 'learner'] as const) {
      for (let part = 0; part < MOST_PARTS; part++) {
        const text = await readFile(file, this.#bytes[file], this.name).catch(() => '');
        if (text === '') break;
        this.#bytes[file] += new TextEncoder().encode(text).length;
        this.#kept.add(readLines(text));
        isNew = true;
      }
    }
    if (isNew) this.#lines = this.#kept.all;
    return isNew;
  }
}

/** Largest number of parts read of a file at a time; the next read continues there. */
const MOST_PARTS = 32;
const MOST_RUNS = 6;
const FOLLOW_MS = 2000;
const SMOOTHINGS = [
  { weight: 0, text: 'none' },
  { weight: 0.6, text: 'some' },
  { weight: 0.9, text: 'much' },
] as const;
/** Colours of the compared runs. */
const RUN_HUES: readonly Hue[] = ['blue', 'orange', 'green', 'violet', 'red', 'grey'];

const runs = signal<readonly FollowedRun[]>([new FollowedRun('')]);
const listed = signal<readonly RunListing[]>([]);
const weight = signal<number>(0);
/** Draws runs that differ only in their seed as one: mean, with a band from minimum to maximum. */
const isBySeed = signal(false);
const differing = signal<readonly Difference[]>([]);
/** Incremented with each addition. */
const version = signal(0);

/** Read in progress; one at a time, since two would read the same part. */
let following: Promise<void> | undefined;

function follow(): Promise<void> {
  following ??= Promise.all(runs.value.map((run) => run.follow())).then((news) => {
    following = undefined;
    if (news.some(Boolean)) version.value++;
  });
  return following;
}

export function Training() {
  useEffect(() => {
    void follow();
    void readJson<readonly RunListing[]>('/api/runs').then((found) => {
      listed.value = found ?? [];
    });
    const timer = setInterval(() => void follow(), FOLLOW_MS);
    return () => clearInterval(timer);
  }, []);
  const all = useMemo(() => runs.value.flatMap(({ lines }) => lines), [version.value, runs.value]);
  const charts = useMemo(() => chartsOf(all), [all]);
  const lastStep = useMemo(() => all.reduce((most, { envStep }) => Math.max(most, envStep), 0), [all]);
  return (
    <>
      <Choices />
      {runs.value.length === 1 ? null : <Differences />}
      {charts.length === 0 ? <p class="empty">No figures yet: they come with the first episodes.</p> : null}
      <div class="charts">
        {charts.map((chart) => (
          <RunsPlot key={chart.title} chart={chart} lastStep={lastStep} />
        ))}
      </div>
    </>
  );
}

/** Runs drawn as one. */
interface Group {
  readonly name: string;
  readonly runs: readonly FollowedRun[];
}

function groups(): readonly Group[] {
  const single = runs.value.map((run): Group => ({ name: run.name || 'this run', runs: [run] }));
  if (!isBySeed.value) return single;
  const byMeaning = new Map<string, FollowedRun[]>();
  for (const run of runs.value) {
    const meant = [...run.settings].filter(([path]) => path !== 'seed' && !/^(run|versions)\./.test(path));
    const key = meant.join('\n') || run.name;
    byMeaning.set(key, [...(byMeaning.get(key) ?? []), run]);
  }
  return [...byMeaning.values()].map((alike) => ({
    name: `${alike[0]!.name || 'this run'}${alike.length === 1 ? '' : ` and ${alike.length - 1} of other seeds`}`,
    runs: alike,
  }));
}

/** A single run has one colour per line; several have one colour per run, and dashes per line. */
function RunsPlot({ chart, lastStep }: { readonly chart: Chart; readonly lastStep: number }) {
  const lines = useMemo(
    () =>
      groups().flatMap(({ name, runs: alike }, r) =>
        chart.series.flatMap(({ label, hue, points, isExact = false }, s): ChartLine[] => {
          const curves = alike.map(({ lines: all }) => smoothed(points(all), isExact ? 0 : weight.value));
          const drawn: readonly Point[] = curves.length === 1 ? curves[0]! : banded(curves);
          if (drawn.length === 0) return [];
          if (runs.value.length === 1) return [{ label, hue, dash: s, points: drawn }];
          return [{ label: `${name}: ${label}`, hue: RUN_HUES[r]!, dash: s, points: drawn }];
        }),
      ),
    [chart, version.value, runs.value, weight.value, isBySeed.value, differing.value],
  );
  return (
    <Plot
      title={chart.title}
      unit={chart.unit}
      lines={lines}
      isLog={chart.isLog}
      note={chart.note}
      lastStep={lastStep}
    />
  );
}

function Choices() {
  const others = listed.value.filter(({ isThis }) => !isThis);
  return (
    <section class="choices" aria-label="What is drawn">
      <label>
        Smoothing{' '}
        <select
          id="smoothing"
          value={String(weight.value)}
          onChange={(event) => {
            weight.value = Number(event.currentTarget.value);
          }}
        >
          {SMOOTHINGS.map(({ weight: value, text }) => (
            <option key={text} value={String(value)}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {others.length === 0 ? null : (
        <details id="runs">
          <summary>Compare with {runs.value.length === 1 ? 'other runs' : `${runs.value.length - 1} other`}</summary>
          {others.map(({ name, changedAtMs, task, seed, outcome }) => (
            <label key={name}>
              <input
                type="checkbox"
                value={name}
                checked={runs.value.some((run) => run.name === name)}
                disabled={runs.value.length >= MOST_RUNS && !runs.value.some((run) => run.name === name)}
                onChange={(event) => choose(name, event.currentTarget.checked)}
              />{' '}
              {name}{' '}
              <span class="soft">
                {[task, seed === '' ? '' : `seed ${seed}`, outcome || 'not ended', timeOf(changedAtMs)]
                  .filter((part) => part !== '')
                  .join(', ')}
              </span>
            </label>
          ))}
        </details>
      )}
      {runs.value.length === 1 ? null : (
        <label>
          <input
            type="checkbox"
            id="by-seed"
            checked={isBySeed.value}
            onChange={(event) => {
              isBySeed.value = event.currentTarget.checked;
            }}
          />{' '}
          runs that differ in their seed alone as one, with a band
        </label>
      )}
      <span class="soft" id="resolution">
        Drag over a chart to zoom all of them, double click to see all. A curve has at most {MOST_POINTS} points of what
        is shown, each the mean of its neighbours: zoom in for more.{' '}
        {runs.value.map(({ leftOut }) => leftOut).join(' ')}
      </span>
    </section>
  );
}

/** Settings in which the drawn runs differ. */
function Differences() {
  return (
    <details id="differences">
      <summary>
        Settings that differ:{' '}
        {differing.value.length === 0 ? 'none' : differing.value.map(({ path }) => path).join(', ')}
      </summary>
      <Scroll label="Settings that differ">
        <table>
          <thead>
            <tr>
              <th>setting</th>
              {runs.value.map(({ name }) => (
                <th key={name}>{name || 'this run'}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {differing.value.map(({ path, values }) => (
              <tr key={path}>
                <th scope="row">{path}</th>
                {values.map((value, i) => (
                  <td key={runs.value[i]?.name}>{value || '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}

function choose(name: string, isShown: boolean): void {
  const without = runs.value.filter((run) => run.name !== name);
  runs.value = isShown ? [...without, new FollowedRun(name)] : without;
  void compareSettings(runs.value);
  void follow();
}

async function compareSettings(shown: readonly FollowedRun[]): Promise<void> {
  await Promise.all(shown.filter(({ settings }) => settings.size === 0).map((run) => run.readSettings()));
  if (shown === runs.value) differing.value = differences(shown.map(({ settings }) => settings));
}
