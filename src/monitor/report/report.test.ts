import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chartsIn } from '../../../tests/support/page-charts.ts';
import { percent, QuantileHistogram } from '../../model/index.ts';
import {
  decodeRecording,
  type EpisodeRecording,
  encodeRecording,
  type MetricRecord,
  MetricsWriter,
  type RunSummary,
  writeRecording,
} from '../../record/index.ts';
import { shortNumber } from '../page/html.ts';
import { calibration } from './figures.ts';
import { renderReport, writeReport } from './report.ts';
import { loadReportData, type ReportData } from './run-data.ts';

const EVIL = `</script><img src=x onerror="alert('1')">&]]>`;

const summary: RunSummary = {
  success_rate: 0.99,
  eval_episodes: 200,
  env_steps: 3021,
  updates: 60_420,
  utd: 20,
  updates_per_s: 812,
  interventions: 64,
  intervention_steps: 811,
  wall_s: 96.4,
  seed: 7,
  safety: { violations: 0, changed_ticks: 1900, ticks: 61_234 },
  link: { sent: 3021, acked: 3021, duplicated: 0, lost: 0 },
  policy_version: 118,
  task: 'insert',
  target_success_rate: 0.97,
};

/** A box that slides and turns, a fixed floor and a capsule. */
function recording(caption = 'First evaluation episode'): EpisodeRecording {
  const frames = Array.from({ length: 30 }, (_, i) => {
    const half = i * 0.02;
    return Float32Array.from([
      0,
      0,
      -0.02,
      1,
      0,
      0,
      0,
      0.1,
      0,
      0.2,
      1,
      0,
      0,
      0,
      0.3 + i * 0.001,
      0.1,
      0.3 - i * 0.004,
      Math.cos(half),
      0,
      0,
      Math.sin(half),
    ]);
  });
  const grey = [0.5, 0.5, 0.5, 1];
  const geoms = [
    { type: 'plane', sizeM: [1, 1, 0.1], rgba: grey, name: 'floor' },
    { type: 'capsule', sizeM: [0.04, 0.15, 0], rgba: grey, name: 'arm' },
    { type: 'box', sizeM: [0.01, 0.01, 0.03], rgba: [1, 0.5, 0, 1], name: 'peg' },
  ];
  return { caption, success: true, geoms, frames, frameS: 0.04 };
}

function records(label = 'trained'): MetricRecord[] {
  const histogram = new QuantileHistogram(0.001, 1000);
  for (let i = 1; i < 500; i++) histogram.add(i / 100);
  const at = (envStep: number): { tS: number; envStep: number } => ({ tS: envStep / 50, envStep });
  const episode = (i: number): MetricRecord => ({
    ...at(i * 40),
    kind: 'episode',
    episode: i,
    purpose: 'training',
    success: i % 3 > 0,
    steps: 40,
    returnSum: 1,
    interventions: i < 20 ? 1 : 0,
    interventionSteps: i < 20 ? 12 : 0,
    filterShare: 0.1,
    tankDrainJ: 2,
    marginMin: 0.5,
    policyVersion: i,
  });
  const update = { update: 100, criticLoss: 0.1, actorLoss: -0.3, temperature: 0.1, entropy: -1, qMean: 0.4 };
  return [
    ...Array.from({ length: 40 }, (_, i) => episode(i)),
    { ...at(500), kind: 'validation', policyVersion: 5, successes: 3, episodes: 30, meanSteps: 40 },
    { ...at(1500), kind: 'validation', policyVersion: 9, successes: 30, episodes: 30, meanSteps: 22 },
    { ...at(500), kind: 'update', ...update, updatesPerS: 800, utd: 20 },
    { ...at(900), kind: 'update', ...update, update: 200, updatesPerS: 800, utd: 20 },
    { ...at(900), kind: 'calibration', pairs: Array.from({ length: 80 }, (_, i) => [i / 80, (i / 80) ** 2] as const) },
    { ...at(900), kind: 'link', sent: 10, acked: 9, pending: 1, lost: 0, duplicated: 0 },
    {
      ...at(900),
      kind: 'safety',
      ticks: 1000,
      changedTicks: 31,
      violations: 0,
      overruns: 2,
      byReason: { limits: 31, [label]: 1 },
      stages: { limiter: { changedTicks: 31, marginMin: 1 }, [`tank ${label}`]: { changedTicks: 3, marginMin: 0.125 } },
      marginMin: 0.125,
      clearanceM: 0.05,
      tank: { energyJ: 2, levelMin: 0.5, injectedJ: 7 },
    },
    { ...at(900), kind: 'histogram', name: 'tickMs', data: histogram.toJSON() },
    { ...at(1600), kind: 'evaluation', label, policyVersion: 9, successes: 198, episodes: 200, meanSteps: 23.4 },
  ];
}

function full(text = 'plain'): ReportData {
  return {
    runId: `run-${text}`,
    summary: { ...summary, task: text, versions: { [text]: text } },
    configText: `task: ${text}\n`,
    records: records(text),
    skippedLines: 1,
    recordings: [recording(text), recording('last')],
  };
}

const empty: ReportData = {
  runId: 'stopped',
  summary: null,
  configText: '',
  records: [],
  skippedLines: 0,
  recordings: [],
};

const VOID = new Set(['meta', 'input', 'br', 'img', 'link', 'hr']);

/** First tag that does not match its opening one, or null. Scripts and styles count as text. */
function unbalanced(html: string): string | null {
  const markup = html.replace(/(<(script|style)[^>]*>)[\s\S]*?(<\/\2>)/g, '$1$3');
  const open: string[] = [];
  for (const [, slash, name, rest] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>/gi)) {
    if (slash === '/') {
      if (open.pop() !== name) return `</${name}>`;
    } else if (!VOID.has(name!) && !rest!.endsWith('/')) open.push(name!);
  }
  return open.at(-1) ?? null;
}

describe('renderReport', () => {
  it.each([
    ['a whole run', full()],
    ['a run that stopped at once', empty],
    ['hostile names', full(EVIL)],
  ])('is well formed for %s', (_, data) => {
    const html = renderReport(data);
    expect(unbalanced(html)).toBeNull();
    expect(outsideScripts(html)).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('sees a page that is not well formed', () => {
    expect(unbalanced('<main><p></main>')).toBe('</main>');
    expect(unbalanced('<main><p></p>')).toBe('main');
  });

  it('holds modules that parse and import nothing', () => {
    const modules = modulesIn(renderReport(full()));
    expect(modules).toHaveLength(2);
    // A report without recordings or charts embeds no script for them.
    expect(modulesIn(renderReport({ ...full(), recordings: [] }))).toEqual([modules[0]]);
    expect(modulesIn(renderReport(empty))).toEqual([]);
    for (const module of modules) {
      expect(module).not.toMatch(/^import /m);
      expect(() => new Function(module.replace(/^export /gm, ''))).not.toThrow();
    }
  });

  it('asks nothing of a network, and the browser is told to ask nothing', () => {
    const html = renderReport(full());
    expect(outsideScripts(html)).not.toMatch(/https?:|@import|url\(|<link|<iframe/);
    expect(outsideScripts(html)).not.toMatch(/\ssrc="(?!data:)/);
    const hashes = modulesIn(html).map((module) => `'sha256-${createHash('sha256').update(module).digest('base64')}'`);
    expect(html).toContain(`img-src data:; script-src ${hashes.join(' ')}">`);
    expect(html).toContain(`content="default-src 'none'; style-src 'sha256-`);
  });

  it('lets no name of the run become markup', () => {
    const html = renderReport(full(EVIL));
    expect(html).not.toContain('<img src');
    expect(html.split('</script>').length).toBe(html.split('<script').length);
    const blocks = [...html.matchAll(/<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/g)];
    const all = blocks.map(([, json]) => JSON.parse(json!));
    const first = all.find((block) => 'caption' in block);
    expect(first.caption).toBe(EVIL);
  });

  it('shows the figures of the run', () => {
    const html = renderReport(full());
    for (const fact of [
      '99.0 %',
      '198 of 200',
      '96.4',
      'met',
      '60\u202f420',
      'p99',
      '3.10 %',
      '0.30 %',
      '12.5 %',
      'Energy tank, least content',
      'Q against realised return',
    ]) {
      expect(html).toContain(fact);
    }
  });

  it('has one definition a figure: of success an hour in card and section, of changed ticks with and without evaluation', () => {
    const data = full();
    const summary = {
      ...data.summary!,
      training_successes_per_hour: 1952,
      successes_per_hour: 2000,
      human_step_share: 0.032,
    };
    const html = renderReport({ ...data, summary });
    expect(html).toContain('1952 in training');
    expect(html).toContain('1952 successes an hour, resets included; 3.2 % of the steps');
    const { changed_ticks: changed, ticks } = summary.safety;
    expect(html).toContain(`${percent(changed / ticks)} of all ticks changed by filters, evaluation included`);
    const section = /<section aria-labelledby="safety-filters">[\s\S]*?<\/section>/.exec(html)![0];
    expect(section).toContain(`(${percent(changed / ticks, 2)}) with the evaluation`);
  });

  it('compares what was trained with the policy before training and with its own training episodes', () => {
    const before = { tS: 1, envStep: 0, policyVersion: 1, successes: 46, episodes: 50, meanSteps: 31 };
    const rows = rowsOf(renderReport({ ...full(), records: [{ ...before, kind: 'validation' }, ...records()] }));
    expect(rows('before training on the robot (policy 1)')).toContain('validation 92.0 %');
    expect(rows('before training on the robot (policy 1)')).toContain('46 of 50 31');
    expect(rows('while it learned')).toContain('training');
    expect(rows('trained')).toContain('evaluation 99.0 %');
  });

  it('speaks of no training where there was no learner', () => {
    const setup = {
      kind: 'setup',
      tS: 0,
      envStep: 0,
      learner: null,
      stateSize: 7,
      actionSize: 4,
      maxSteps: 60,
      periodS: 0.1,
      isRealTime: true,
      demonstrations: 0,
    } as unknown as MetricRecord;
    const episodes = records().filter(({ kind }) => kind === 'episode');
    const html = renderReport({ ...full(), summary: null, records: [setup, ...episodes] });
    expect(/<h1>(.*?)<\/h1>/.exec(html)?.[1]).toMatch(/^\d+ of \d+ episodes succeeded$/);
    expect(rowsOf(html)('while it ran')).toContain('running');
    expect(/in training it explores/.exec(html)).toBeNull();
  });

  it('speaks of no episodes where people alone drove', () => {
    const configText = 'run:\n  command: teleop\n  task: teleop\n';
    const html = renderReport({ ...full(), summary: null, recordings: [], configText });
    expect(/<h1>(.*?)<\/h1>/.exec(html)?.[1]).toBe('Teleoperation, 32.0 s');
    expect(outsideScripts(html)).not.toMatch(/episode|success|learn|evaluation|Wilson/i);
    expect(renderReport({ ...empty, configText })).toContain('<h1>Teleoperation</h1>');
    for (const title of ['Safety filters', 'Timing', 'Link', 'Configuration']) expect(html).toContain(`>${title}</h2>`);
  });

  it('compares the last policy that was validated where nothing was evaluated', () => {
    const without = records().filter(({ kind }) => kind !== 'evaluation');
    expect(rowsOf(renderReport({ ...full(), records: without }))('policy 9, the last that')).toContain('30 of 30');
  });

  it('says what each reason means', () => {
    const named = records('targetLeashed');
    const row = rowsOf(renderReport({ ...full(), records: named }))('targetLeashed The');
    expect(row).toContain('The target was too far ahead of the measured tool.');
  });

  it('gives Q and return an axis each, as wide as what came', () => {
    const pairs = Array.from({ length: 50 }, (_, i) => [-2 + i / 50, 0.5 + i / 100] as const);
    const [chart] = chartsIn(calibration([{ kind: 'calibration', tS: 1, envStep: 1, pairs }]).markup);
    expect(chart).toMatchObject({ xRange: [0.5, 0.99], yRange: { low: -2, high: -1.02 } });
    expect(chart!.dots!.points).toHaveLength(50);
  });

  it('tells people with narrow screens that wide tables scroll, and no others', () => {
    const html = renderReport(full());
    const of = (id: string): string =>
      new RegExp(`<section aria-labelledby="${id}">[\\s\\S]*?</section>`).exec(html)![0];
    expect(of('comparison')).toContain('<p class="hint">Scroll sideways for the rest →</p><table>');
    expect(html).toMatch(/\.hint\{display:none\}/);
  });

  it('draws every chart by its own script, and says in words what it is of', () => {
    const html = renderReport(full());
    const charts = chartsIn(html);
    expect(charts.length).toBeGreaterThan(8);
    for (const { title, description } of charts) {
      expect(html).toContain(`<figure aria-label="${title}"><h3>${title}</h3><div class="plot"><p>${description}</p>`);
    }
    expect(charts.find(({ title }) => title === 'Success')).toMatchObject({
      yRange: { low: 0, high: 1 },
      level: { at: 0.97, label: 'target 97 %' },
      lastStep: 1600,
    });
    expect(html).toContain('<noscript>');
  });

  it('says when the target was missed and when limits broke', () => {
    const bad = { ...summary, success_rate: 0.5, safety: { ...summary.safety, violations: 3 } };
    const html = renderReport({ ...full(), summary: bad });
    expect(html).toContain('not met');
    expect(html.match(/<li class="bad">/g)).toHaveLength(3);
  });

  it('stays small with two long episodes of sixty shapes', () => {
    const geoms = Array.from({ length: 60 }, (_, i) => ({
      type: 'capsule',
      sizeM: [0.02, 0.1, 0],
      rgba: [1, 1, 1, 1],
      name: `g${i}`,
    }));
    const frames = Array.from({ length: 1500 }, (_, f) => new Float32Array(60 * 7).map((_, k) => Math.sin(f * k)));
    const long = { ...recording(), geoms, frames };
    expect(renderReport({ ...full(), recordings: [long, long] }).length).toBeLessThan(3e6);
  });
});

/** Text of the first table row that begins with `head`. */
function rowsOf(html: string): (head: string) => string {
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) =>
    row!.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
  );
  return (head) => rows.find((row) => row.trim().startsWith(head)) ?? '';
}

/** Scripts of the page. */
function modulesIn(html: string): string[] {
  return [...html.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)].map(([, module]) => module!);
}

function outsideScripts(html: string): string {
  return html.replace(/<(script|style)[\s\S]*?<\/\1>/g, '');
}

describe('recordings', () => {
  it('come back within their resolution', () => {
    const before = recording();
    const after = decodeRecording(JSON.parse(JSON.stringify(encodeRecording(before))));
    expect(after.geoms).toEqual(before.geoms);
    expect(after.frames).toHaveLength(before.frames.length);
    for (const [f, frame] of before.frames.entries()) {
      for (const [k, value] of frame.entries()) expect(Math.abs(after.frames[f]![k]! - value)).toBeLessThan(5e-5);
    }
  });

  it('keep the depth that counts as success, which the close-up draws', () => {
    const encoded = encodeRecording({ ...recording(), successDepthM: 0.015 });
    expect(decodeRecording(encoded).successDepthM).toBe(0.015);
    expect(encodeRecording(recording())).not.toHaveProperty('successDepthM');
    expect(renderReport({ ...full(), recordings: [{ ...recording(), successDepthM: 0.015 }] })).toContain(
      '"successDepthM":0.015',
    );
  });

  it('store what never moves once', () => {
    const encoded = encodeRecording(recording());
    expect(encoded.geoms.map((geom) => geom.moves)).toEqual([false, false, true]);
    expect(Buffer.from(encoded.fixed, 'base64')).toHaveLength(2 * 7 * 2);
    expect(Buffer.from(encoded.moving, 'base64')).toHaveLength(30 * 7 * 2);
  });

  it('thin long episodes and keep the last frame and the pace', () => {
    const before = recording();
    const encoded = encodeRecording(before, 10);
    const after = decodeRecording(encoded);
    expect(encoded.frameCount).toBe(10);
    expect(encoded.frameS).toBeCloseTo(0.12);
    expect(after.frames.at(-1)![14]).toBeCloseTo(before.frames.at(-1)![14]!, 4);
  });

  it('refuse frames that do not fit or are not finite, and damaged files', () => {
    const good = recording();
    expect(() => encodeRecording({ ...good, frames: [new Float32Array(3)] })).toThrow(RangeError);
    expect(() => encodeRecording({ ...good, frames: [new Float32Array(21).fill(Number.NaN)] })).toThrow(RangeError);
    expect(() => decodeRecording({ ...encodeRecording(good), moving: 'AAAA' })).toThrow(/damaged/);
  });
});

describe('numbers', () => {
  it('write numbers short', () => {
    expect([0, 0.5, 0.123456, 61_234, 1.5e9, 0.00002].map(shortNumber)).toEqual([
      '0',
      '0.5',
      '0.1235',
      '61\u202f234',
      '2e9',
      '2e-5',
    ]);
  });
});

describe('a run folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rein-report-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives the report back from its files', async () => {
    const writer = new MetricsWriter(join(folder, 'metrics.jsonl'));
    for (const record of records()) writer.write(record);
    await writer.close();
    writeFileSync(join(folder, 'summary.json'), JSON.stringify(summary));
    writeFileSync(join(folder, 'config.yaml'), 'task: insert\n');
    await writeRecording(folder, '2-last', recording('last'));
    await writeRecording(folder, '1-first', recording('first'));
    const data = await loadReportData(folder);
    expect(data.records).toEqual(records());
    expect(data.summary).toEqual(summary);
    expect(data.recordings.map((r) => r.caption)).toEqual(['first', 'last']);
    const path = await writeReport(folder, data);
    expect(statSync(path).size).toBeGreaterThan(20_000);
    expect(readFileSync(path, 'utf8')).toBe(renderReport(data));
  });

  it('makes a page of an empty folder, and none of no folder', async () => {
    expect((await loadReportData(folder)).summary).toBeNull();
    await expect(loadReportData(join(folder, 'none'))).rejects.toThrow(/not a folder/);
  });

  it('names the file that is damaged', async () => {
    mkdirSync(join(folder, 'recordings'));
    writeFileSync(join(folder, 'recordings', '1.json'), '{');
    await expect(loadReportData(folder)).rejects.toThrow(/1\.json is not JSON/);
  });
});
