/** The training view: figures of the run's files over environment steps. */
import 'uplot/dist/uPlot.min.css';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { readFile } from './stream.ts';

type Line = Readonly<Record<string, unknown>> & {
  readonly kind: string;
  readonly envStep: number;
  readonly tS: number;
};

/** Records of a file so far, and how many of its bytes they are. */
interface Followed {
  readonly name: 'metrics' | 'learner';
  bytes: number;
}

const records = signal<readonly Line[]>([]);
const files: readonly Followed[] = [
  { name: 'metrics', bytes: 0 },
  { name: 'learner', bytes: 0 },
];
const MOST_RECORDS = 50_000;
const FOLLOW_MS = 2000;

async function follow(): Promise<void> {
  for (const file of files) {
    const text = await readFile(file.name, file.bytes).catch(() => '');
    if (text === '') continue;
    file.bytes += new TextEncoder().encode(text).length;
    const lines = text
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as Line];
        } catch {
          return []; // a line that a crash cut
        }
      });
    records.value = [...records.value, ...lines].slice(-MOST_RECORDS);
  }
}

/** A chart of numbers over environment steps. */
interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly {
    readonly label: string;
    readonly colour: string;
    readonly points: (all: readonly Line[]) => readonly Point[];
  }[];
  readonly isLog?: boolean;
}
type Point = readonly [step: number, value: number];

const of =
  (kind: string, key: string) =>
  (all: readonly Line[]): readonly Point[] =>
    all.flatMap((line) => {
      const value = line[key];
      return line.kind === kind && typeof value === 'number' ? [[line.envStep, value] as const] : [];
    });

const WINDOW = 20;

/** Success of the last episodes that ran to their own end: all of them, or those without help. */
const success =
  (which: 'all' | 'alone') =>
  (all: readonly Line[]): readonly Point[] => {
    const last: number[] = [];
    return all.flatMap((line) => {
      if (line.kind !== 'episode' || line['purpose'] !== 'training' || line['cutBy'] !== undefined) return [];
      if (which === 'alone' && Number(line['interventions']) > 0) return [];
      last.push(line['success'] === true ? 1 : 0);
      if (last.length > WINDOW) last.shift();
      return [[line.envStep, last.reduce((sum, one) => sum + one, 0) / last.length] as const];
    });
  };

const validated = (all: readonly Line[]): readonly Point[] =>
  all.flatMap((line) =>
    line.kind === 'evaluation'
      ? [[line.envStep, Number(line['successes']) / Math.max(1, Number(line['episodes']))] as const]
      : [],
  );

const CHARTS: readonly Chart[] = [
  {
    title: 'Success',
    unit: 'share',
    lines: [
      { label: `all, last ${WINDOW}`, colour: '--blue', points: success('all') },
      { label: 'without help', colour: '--orange', points: success('alone') },
      { label: 'validation', colour: '--green', points: validated },
    ],
  },
  {
    title: 'Interventions',
    unit: 'per episode',
    lines: [{ label: 'segments', colour: '--orange', points: of('episode', 'interventions') }],
  },
  {
    title: 'Return',
    unit: 'sum of rewards',
    lines: [{ label: 'return', colour: '--blue', points: of('episode', 'returnSum') }],
  },
];

export function Training() {
  useEffect(() => {
    void follow();
    const timer = setInterval(() => void follow(), FOLLOW_MS);
    return () => clearInterval(timer);
  }, []);
  if (records.value.length === 0) return <p class="empty">No figures yet: they come with the first episodes.</p>;
  const kinds = numbersOf(records.value, 'update');
  const rest: Chart[] = kinds.map((key) => ({
    title: key,
    unit: '',
    lines: [{ label: key, colour: '--violet', points: of('update', key) }],
  }));
  return (
    <div class="charts">
      {[...CHARTS, ...rest].map((chart) => (
        <Plot key={chart.title} chart={chart} all={records.value} />
      ))}
    </div>
  );
}

/** Names of the numbers in records of a kind. */
function numbersOf(all: readonly Line[], kind: string): readonly string[] {
  const first = all.find((line) => line.kind === kind);
  if (first === undefined) return [];
  return Object.entries(first).flatMap(([key, value]) =>
    typeof value === 'number' && key !== 'tS' && key !== 'envStep' ? [key] : [],
  );
}

function Plot({ chart, all }: { readonly chart: Chart; readonly all: readonly Line[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = table(chart.lines.map(({ points }) => points(all)));
  useEffect(() => {
    const root = place.current;
    if (root === null) return undefined;
    const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--soft'),
      grid: { stroke: colour('--edge'), width: 1 },
      ticks: { stroke: colour('--edge') },
    };
    const made = new uPlot(
      {
        width: root.clientWidth,
        height: 200,
        scales: { x: { time: false } },
        axes: [
          { ...axis, label: 'environment steps' },
          { ...axis, label: chart.unit, size: 56 },
        ],
        series: [
          { label: 'step' },
          ...chart.lines.map(({ label, colour: name }) => ({
            label,
            stroke: colour(name),
            width: 2,
            spanGaps: true,
            points: { show: false },
          })),
        ],
      },
      data,
      root,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: 200 }));
    observer.observe(root);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [chart.title]);
  useEffect(() => plot.current?.setData(data), [all]);
  return (
    <figure class="chart">
      <figcaption>{chart.title}</figcaption>
      <div ref={place} />
    </figure>
  );
}

/** Lines over one axis: a row a step that any of them has. */
function table(lines: readonly (readonly Point[])[]): uPlot.AlignedData {
  const steps = [...new Set(lines.flatMap((points) => points.map(([at]) => at)))].sort((a, b) => a - b);
  const columns = lines.map((points) => {
    const byStep = new Map(points);
    return steps.map((at) => byStep.get(at) ?? null);
  });
  return [steps, ...columns];
}
