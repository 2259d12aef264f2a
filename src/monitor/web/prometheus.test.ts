import { expect, it } from 'vitest';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import {
  DECIDERS,
  type Decider,
  encodeJson,
  encodeNumbers,
  FRAME_LAYOUT,
  SAFETY_STATES,
  type SafetyStateName,
} from '../../rows/index.ts';
import { STAGES } from '../../safety/chain-report.ts';
import { createRunStatus } from '../../session/status.ts';
import { PrometheusMetrics } from './prometheus.ts';

interface Family {
  readonly type: string;
  /** Value of each sample, by name and labels. */
  readonly samples: Map<string, number>;
}

const NAME = '[a-z][a-z0-9_]*';
const LABELS = `${NAME}="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const SAMPLE = new RegExp(`^(${NAME})((?:\\{${LABELS}(?:,${LABELS})*\\})?) (-?[0-9.]+(?:e[-+]?[0-9]+)?)$`);

/** Families of an exposition. Throws for violations of the format: parsed more strictly than by Prometheus. */
function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  let name = '';
  let helped = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, comment, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (comment === 'HELP') {
      if (families.has(of)) throw new Error(`${of} comes twice`);
      helped = of;
    } else if (comment === 'TYPE') {
      if (of !== helped || !/^(gauge|counter|histogram)$/.test(rest)) throw new Error(`bad type: ${line}`);
      families.set(of, { type: rest, samples: new Map() });
      name = of;
    } else {
      const [, sample = '', labels = '', value] = SAMPLE.exec(line) ?? [];
      const { type = '', samples } = families.get(name) ?? {};
      const ending = sample.slice(name.length);
      const fits = type === 'histogram' ? /^_(bucket|sum|count)$/.test(ending) : ending === '';
      if (!sample.startsWith(name) || !fits || samples?.has(sample + labels) !== false)
        throw new Error(`bad line: ${line}`);
      if (type === 'counter' && !name.endsWith('_total')) throw new Error(`a counter without _total: ${name}`);
      samples.set(sample + labels, Number(value));
    }
  }
  return families;
}

const zeros = (keys: readonly string[]): [string, number][] => keys.map((key) => [key, 0]);

function frame(given: object): Uint8Array {
  const arrays = FRAME_LAYOUT.arrays.map((key) => [key, [0, 0, 0, 0, 0, 0]]);
  return encodeNumbers(FRAME_LAYOUT, {
    ...Object.fromEntries([...zeros(FRAME_LAYOUT.scalars), ...arrays]),
    ...given,
  } as never);
}

it('tells in the format of Prometheus what was told, and leaves out what is not known', () => {
  const metrics = new PrometheusMetrics();
  expect([...parseExposition(metrics.text(0)).keys()]).not.toContain('rein_safety_state');
  const signs = [
    { name: 'seen', bit: 4 },
    { name: 'not seen', bit: 8 },
  ];
  const task = { name: 'put "it"\nin\\out' };
  metrics.take(
    encodeJson('run', {
      runId: 'r1',
      command: 'run',
      version: '1.0.0',
      learner: 'sac',
      task,
      robot: ur5eLike,
      stages: STAGES,
      faults: [{ row: 7, signs }],
      startedAtMs: 5000,
    }),
  );
  metrics.take(frame({ tickLateMs: 0.3 }));
  const stageTicks = STAGES.map((_, i) => i);
  const state = SAFETY_STATES.indexOf('active.human');
  metrics.take(frame({ tickLateMs: 7 }));
  metrics.take(
    frame({ tickLateMs: 7, state, ticks: 12, stageTicks, faultFlags: 4, clearanceM: Number.POSITIVE_INFINITY }),
  );
  metrics.take(encodeJson('episode', { success: true }));
  metrics.take(encodeJson('intervention', { isActive: true }));
  metrics.take(encodeJson('intervention', { isActive: false }));
  const found = parseExposition(metrics.text(3));
  const sampleOf = (sample: string): number | undefined =>
    found.get(sample.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, ''))?.samples.get(sample);
  expect(sampleOf('rein_ticks_total')).toBe(12);
  expect(sampleOf('rein_safety_state{state="active.human"}')).toBe(1);
  expect([...found.get('rein_safety_state')!.samples.values()].reduce((sum, value) => sum + value, 0)).toBe(1);
  expect(sampleOf(`rein_stage_changed_ticks_total{stage="${STAGES[2]}"}`)).toBe(2);
  expect([...found.get('rein_fault')!.samples]).toEqual([['rein_fault{row="7",name="seen"}', 1]]);
  expect([...found.get('rein_run_info')!.samples.keys()][0]).toContain('task="put \\"it\\"\\nin\\\\out"');
  expect(found.has('rein_clearance_meters')).toBe(false);
  expect(found.get('rein_joint_position_radians')!.samples.size).toBe(6);
  expect(sampleOf('rein_tick_lateness_seconds_bucket{le="0.0005"}')).toBe(1);
  expect(sampleOf('rein_tick_lateness_seconds_bucket{le="0.01"}')).toBe(3);
  expect(sampleOf('rein_tick_lateness_seconds_bucket{le="+Inf"}')).toBe(3);
  expect(sampleOf('rein_tick_lateness_seconds_sum')).toBeCloseTo(0.0143, 9);
  expect(sampleOf('rein_episodes_total{result="success"}')).toBe(1);
  expect(sampleOf('rein_interventions_total')).toBe(1);
  expect(sampleOf('rein_monitor_pages')).toBe(3);
});

it('says that nobody decides where a stop holds the robot, or nobody has decided anything yet', () => {
  const metrics = new PrometheusMetrics();
  const told = (state: SafetyStateName, decider: Decider, operator: object): string[] => {
    const numbers = { state: SAFETY_STATES.indexOf(state), decider: DECIDERS.indexOf(decider) };
    metrics.take(frame(numbers));
    metrics.take(encodeJson('status', { ...createRunStatus('r', 'insert', 0), operator }));
    return metrics.text(0).match(/(?<=rein_(safety_state|decider)\{\w+=")[a-z.]+(?="\} 1)/g) ?? [];
  };
  const stopped = { driving: 'you, stopped', keys: '', held: { kind: 'stopped', by: 'Ada at the page' } };
  expect(told('active.human', 'human', stopped)).toEqual(['stopped', 'hold']);
  expect(told('active.policy', 'policy', { driving: 'nobody', keys: '' })).toEqual(['ready', 'hold']);
  expect(told('active.human', 'human', { driving: 'you', keys: '' })).toEqual(['active.human', 'human']);
});
