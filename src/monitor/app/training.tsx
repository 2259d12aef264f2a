/** The training view: figures of the run, and of others beside it, over environment steps. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Chart, chartsOf, type Hue, type MetricLine, readLines, smoothed } from '../page/training-charts.ts';
import type { RunListing } from '../web/run-files.ts';
import { Plot, type PlotLine } from './plot.tsx';
import { readFile, readJson } from './stream.ts';

/** The lines of a run so far, and how many bytes of its files they are. */
class FollowedRun {
  /** Empty for the run of this monitor. */
  readonly name: string;
  readonly #bytes = { metrics: 0, learner: 0 };
  #lines: readonly MetricLine[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get lines(): readonly MetricLine[] {
    return this.#lines;
  }

  /** Reads what was added, a part after the other; false where nothing was. */
  async follow(): Promise<boolean> {
    let isNew = false;
    for (const file of ['metrics', 'learner'] as const) {
      for (let part = 0; part < MOST_PARTS; part++) {
        const text = await readFile(file, this.#bytes[file], this.name).catch(() => '');
        if (text === '') break;
        this.#bytes[file] += new TextEncoder().encode(text).length;
        this.#lines = [...this.#lines, ...readLines(text)].slice(-MOST_LINES);
        isNew = true;
      }
    }
    return isNew;
  }
}

const MOST_LINES = 50_000;
/** Of a file, at one look; the next goes on there. */
const MOST_PARTS = 32;
const MOST_RUNS = 6;
const FOLLOW_MS = 2000;
const SMOOTHINGS = [
  { weight: 0, text: 'none' },
  { weight: 0.6, text: 'some' },
  { weight: 0.9, text: 'much' },
] as const;
/** Of the runs beside this one. */
const RUN_HUES: readonly Hue[] = ['blue', 'orange', 'green', 'violet', 'red', 'grey'];

const runs = signal<readonly FollowedRun[]>([new FollowedRun('')]);
const listed = signal<readonly RunListing[]>([]);
const weight = signal<number>(0);
/** Counts what was read. */
const version = signal(0);

/** One look at a time: two would read the same part. */
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
  const charts = useMemo(() => chartsOf(runs.value.flatMap(({ lines }) => lines)), [version.value, runs.value]);
  return (
    <>
      <Choices />
      {charts.length === 0 ? <p class="empty">No figures yet: they come with the first episodes.</p> : null}
      <div class="charts">
        {charts.map((chart) => (
          <RunsPlot key={chart.title} chart={chart} />
        ))}
      </div>
    </>
  );
}

/** One run has a colour a line; several have a colour a run, and dashes a line. */
function RunsPlot({ chart }: { readonly chart: Chart }) {
  const lines = useMemo(
    () =>
      runs.value.flatMap(({ name, lines: all }, r) =>
        chart.series.flatMap(({ label, hue, points, isExact = false }, s): PlotLine[] => {
          const drawn = smoothed(points(all), isExact ? 0 : weight.value);
          if (drawn.length === 0) return [];
          if (runs.value.length === 1) return [{ label, hue, dash: s, points: drawn }];
          return [{ label: `${name || 'this run'}: ${label}`, hue: RUN_HUES[r]!, dash: s, points: drawn }];
        }),
      ),
    [chart, version.value, runs.value, weight.value],
  );
  return <Plot title={chart.title} unit={chart.unit} lines={lines} isLog={chart.isLog} note={chart.note} />;
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
          {others.map(({ name, changedAtMs }) => (
            <label key={name}>
              <input
                type="checkbox"
                value={name}
                checked={runs.value.some((run) => run.name === name)}
                disabled={runs.value.length >= MOST_RUNS && !runs.value.some((run) => run.name === name)}
                onChange={(event) => choose(name, event.currentTarget.checked)}
              />{' '}
              {name} <span class="soft">{new Date(changedAtMs).toLocaleString()}</span>
            </label>
          ))}
        </details>
      )}
      <span class="soft">Drag over a chart to zoom, double click to see all.</span>
    </section>
  );
}

function choose(name: string, isShown: boolean): void {
  const without = runs.value.filter((run) => run.name !== name);
  runs.value = isShown ? [...without, new FollowedRun(name)] : without;
  void follow();
}
