/** The report page: one HTML file that needs nothing else. */
import { readFileSync } from 'node:fs';
import { mean, wilsonInterval } from '../../core/index.ts';
import {
  type EpisodeRecording,
  encodeRecording,
  type MetricRecord,
  missedTargets,
  perHourText,
  type RunSummary,
  restartsText,
  workOf,
  workRates,
  workRatesText,
} from '../../record/index.ts';
import { SCROLL_HINT, shortNumber } from './chart.ts';
import {
  calibration,
  filterActivity,
  histograms,
  interventionCurve,
  learnerCurves,
  learningCurve,
  only,
} from './figures.ts';
import { unitMeshes } from './geom-mesh.ts';
import { attribute, embeddedJson, text } from './html.ts';
import type { ReportData } from './report-data.ts';
import { renderStill } from './still.ts';

const asset = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');

/** Renderer and player as one module: inside a page there is no other file to import. */
function pageScript(): string {
  return asset('renderer.mjs') + asset('player.mjs').replace(/^import .*\n/gm, '');
}

/** The whole page. Every text of the run's own is escaped; the only resources are inside the file. */
export function renderReport(data: ReportData): string {
  const { records, summary } = data;
  const target = summary?.target_success_rate ?? null;
  const task = summary?.task ?? 'run';
  const sections = [
    section('Watch it', recordingsBlock(data.recordings), data.recordings.length > 0),
    section(
      'Learning',
      `${helpSentence(records)}<div class="pair">${learningCurve(records, target)}${interventionCurve(records)}</div>`,
    ),
    section('Comparison', baselines(records, summary), true),
    section(
      'Learner',
      `<div class="pair">${calibration(records)}<div class="quad">${learnerCurves(records)}</div></div>`,
    ),
    section('Safety filters', filterActivity(records)),
    section('Timing', `<div class="quad">${histograms(records)}</div>`),
    section('Link', linkTable(records, summary)),
    section('Configuration', configBlock(data)),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rein: ${text(task)}, ${text(data.runId)}</title>
<style>${asset('page.css')}</style>
</head>
<body>
<header>
<p class="brand">Rein <span>run report</span></p>
<h1>${text(headline(data))}</h1>
<p class="meta">${text(metaLine(data))}</p>
${cards(data)}
</header>
<main>
${sections.join('\n')}
</main>
<footer><p>Made from the files in the run's folder. Intervals are Wilson score intervals at 95 %.</p></footer>
<script type="application/json" id="meshes">${embeddedJson(unitMeshes(20))}</script>
<script type="module">
${pageScript()}</script>
</body>
</html>
`;
}

function section(title: string, body: string, isShown = true): string {
  const id = title.toLowerCase().replace(/ /g, '-');
  return isShown ? `<section aria-labelledby="${id}"><h2 id="${id}">${text(title)}</h2>${body}</section>` : '';
}

/** What the robot's own episodes say: of live runs, and of those that ended before their evaluation. */
function robotHeadline(records: readonly MetricRecord[]): string | undefined {
  const episodes = only(records, 'episode').filter(
    ({ purpose, cutBy }) => purpose === 'training' && cutBy === undefined,
  );
  if (episodes.length === 0) return undefined;
  return `${episodes.filter(({ success }) => success).length} of ${episodes.length} training episodes succeeded`;
}

/** How much of what the robot did was a person's or the script's. */
function helpSentence(records: readonly MetricRecord[]): string {
  const episodes = only(records, 'episode').filter(({ purpose }) => purpose === 'training');
  const alone = episodes.filter(({ interventions, cutBy }) => interventions === 0 && cutBy === undefined);
  const cut = episodes.filter(({ cutBy }) => cutBy !== undefined).length;
  if (episodes.length === 0) return '';
  const rates = workRates(workOf(episodes));
  return `<p>Without help ${alone.filter(({ success }) => success).length} of ${alone.length} episodes succeeded; ${text(workRatesText(rates))}.${cut === 0 ? '' : ` ${cut} that were cut are not counted.`}</p>`;
}

function headline({ summary, runId, records }: ReportData): string {
  if (summary === null) return robotHeadline(records) ?? `${runId} was not evaluated`;
  const task = summary.task ?? 'the task';
  const rate = percent(summary.success_rate);
  return `${rate} success on ${task} after ${shortNumber(summary.env_steps)} environment steps`;
}

function metaLine({ runId, summary }: ReportData): string {
  const facts = [`run ${runId}`];
  if (summary !== null) facts.push(`seed ${summary.seed}`, `policy version ${summary.policy_version}`);
  if (summary?.started_at !== undefined) facts.push(summary.started_at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC'));
  for (const [name, version] of Object.entries(summary?.versions ?? {})) facts.push(`${name} ${version}`);
  return facts.join(' · ');
}

type Mood = 'good' | 'bad' | 'plain';

function cards({ summary }: ReportData): string {
  if (summary === null) {
    return '<p class="empty">There is no evaluation: a live run has none, and one that was stopped did not come to it.</p>';
  }
  const episodes = summary.eval_episodes;
  const successes = Math.min(episodes, Math.round(summary.success_rate * episodes));
  const range = wilsonInterval(successes, episodes);
  const target = summary.target_success_rate;
  const missed = missedTargets(summary);
  const reachesTarget = target === undefined || summary.success_rate >= target;
  const harm = summary.safety.violations;
  const leaks = summary.link.lost + summary.link.duplicated;
  const list: [string, string, string, Mood][] = [
    [
      'Success',
      percent(summary.success_rate),
      `${successes} of ${episodes} without help, 95 %: ${(range.low * 100).toFixed(1)} to ${percent(range.high)}`,
      reachesTarget ? 'good' : 'bad',
    ],
    [
      'Environment steps',
      shortNumber(summary.env_steps),
      `${shortNumber(summary.updates)} updates, UTD ${shortNumber(summary.utd)}`,
      'plain',
    ],
    [
      'Wall time',
      seconds(summary.wall_s),
      summary.training_wall_s === undefined
        ? `${shortNumber(Math.round(summary.updates_per_s))} updates/s`
        : `training ${seconds(summary.training_wall_s)}${endedBy(summary)}, ${shortNumber(Math.round(summary.updates_per_s))} updates/s`,
      'plain',
    ],
    [
      'Interventions',
      shortNumber(summary.interventions),
      `${shortNumber(summary.intervention_steps)} steps of help${summary.human_step_share === undefined ? '' : `, ${percent(summary.human_step_share)} of the training steps`}`,
      'plain',
    ],
    [
      'Limit violations',
      shortNumber(harm),
      `${share(summary.safety.changed_ticks, summary.safety.ticks)} of ticks changed by filters${restartsText(summary.safety.restarts, summary.safety.restarted_for)}`,
      harm === 0 ? 'good' : 'bad',
    ],
    [
      'Lost or duplicated',
      shortNumber(leaks),
      `of ${shortNumber(summary.link.sent)} transitions`,
      leaks === 0 ? 'good' : 'bad',
    ],
  ];
  const { successes_per_hour: perHour, training_successes_per_hour: trained } = summary;
  if (perHour !== undefined) {
    const training = trained === undefined ? '' : `${perHourText(trained)} in training; `;
    list.splice(1, 0, [
      'Successes per hour',
      perHourText(perHour),
      `${training}simulated time, resets included`,
      'plain',
    ]);
  }
  if (target !== undefined)
    list.unshift([
      'Target',
      missed.length === 0 ? 'met' : 'not met',
      missed.length === 0 ? `asked for: ${percent(target)}` : missed.join('; '),
      missed.length === 0 ? 'good' : 'bad',
    ]);
  const items = list.map(
    ([label, value, note, mood]) =>
      `<li class="${mood}"><span class="label">${text(label)}</span><strong>${text(value)}</strong><span class="note">${text(note)}</span></li>`,
  );
  return `<ul class="cards">${items.join('')}</ul>`;
}

function recordingsBlock(recordings: readonly EpisodeRecording[]): string {
  return `<div class="pair">${recordings.map(player).join('')}</div>`;
}

function player(recording: EpisodeRecording): string {
  const verdict = recording.success
    ? '<span class="badge good">success</span>'
    : '<span class="badge bad">no success</span>';
  const name = attribute(recording.caption);
  return `<figure class="player" aria-label="${name}">
<h3>${text(recording.caption)} ${verdict}</h3>
<div class="stage">
<canvas class="scene" width="1120" height="760" role="img" aria-label="${name}: animation of the arm, drag to look around"></canvas>
<canvas class="closeup" width="400" height="400" role="img" aria-label="Section through the hole with the way of the peg's tip"></canvas>
<div class="still">${renderStill(recording, -1)}</div>
</div>
<div class="controls"><button type="button">Play</button><input type="range" min="0" max="0" value="0" step="1" aria-label="Frame"><select aria-label="Speed"><option value="0.25">¼×</option><option value="0.5">½×</option><option value="1" selected>1×</option><option value="2">2×</option><option value="4">4×</option></select><output>0 s</output></div>
<script type="application/json">${embeddedJson(encodeRecording(recording))}</script>
</figure>`;
}

interface ComparedRow {
  readonly label: string;
  /** The episodes that it was measured on. */
  readonly on: 'evaluation' | 'validation' | 'training';
  readonly successes: number;
  readonly episodes: number;
  readonly meanSteps: number | null;
}

/** What was measured: evaluations, each by its newest figure, and beside them what costs nothing to compare with. */
function compared(records: readonly MetricRecord[]): ComparedRow[] {
  const evaluations = [...new Map(only(records, 'evaluation').map((record) => [record.label, record])).values()];
  const rounds = only(records, 'validation');
  const [first, last] = [rounds[0], rounds.at(-1)];
  const rows: ComparedRow[] = evaluations.map((record) => ({ ...record, on: 'evaluation' }));
  if (last !== undefined && evaluations.length === 0 && last !== first) {
    rows.push({ ...last, label: `policy ${last.policyVersion}, the last that was validated`, on: 'validation' });
  }
  const alone = only(records, 'episode').filter(
    ({ purpose, interventions, cutBy }) => purpose === 'training' && interventions === 0 && cutBy === undefined,
  );
  if (alone.length > 0) {
    const successes = alone.filter(({ success }) => success).length;
    const meanSteps = mean(alone.map(({ steps }) => steps));
    rows.push({ label: 'while it learned', on: 'training', successes, episodes: alone.length, meanSteps });
  }
  if (first !== undefined && first.envStep === 0) {
    rows.push({ ...first, label: `before training on the robot (policy ${first.policyVersion})`, on: 'validation' });
  }
  return rows;
}

function baselines(records: readonly MetricRecord[], summary: RunSummary | null): string {
  const rows = compared(records);
  if (rows.length === 0) return '<p class="empty">Nothing was recorded for this.</p>';
  const cells = rows.map((row) => {
    const range = wilsonInterval(Math.min(row.successes, row.episodes), row.episodes);
    const rate = row.episodes > 0 ? row.successes / row.episodes : 0;
    const [left, right] = [range.low * 100, range.high * 100];
    const bar = `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="fill blue" width="${(rate * 100).toFixed(1)}" height="10"/><rect class="whisker" x="${left.toFixed(1)}" width="${(right - left).toFixed(1)}" y="4" height="2"/></svg>`;
    return `<tr><th scope="row">${text(row.label)}</th><td>${row.on}</td><td class="meter">${bar}</td><td class="number">${percent(rate)}</td><td class="number">${percent(range.low)} to ${percent(range.high)}</td><td class="number">${row.successes} of ${row.episodes}</td><td class="number">${Number.isFinite(row.meanSteps) && row.meanSteps !== null ? shortNumber(Number(row.meanSteps.toFixed(1))) : '-'}</td></tr>`;
  });
  const seed = summary === null ? '' : ` Training seed ${summary.seed}.`;
  return `${SCROLL_HINT}<table><thead><tr><th scope="col">Policy</th><th scope="col">Episodes of</th><th scope="col">Success</th><th scope="col" class="number">Rate</th><th scope="col" class="number">95 % interval</th><th scope="col" class="number">Episodes</th><th scope="col" class="number">Mean steps</th></tr></thead><tbody>${cells.join('')}</tbody></table><p>All without help. The policy that is kept was chosen on the validation episodes, not on those of the evaluation; in training it explores.${text(seed)}</p>`;
}

function linkTable(records: readonly MetricRecord[], summary: RunSummary | null): string {
  const last = only(records, 'link').at(-1);
  const link = last ?? (summary === null ? undefined : { ...summary.link, pending: 0 });
  if (link === undefined) return '<p class="empty">Nothing was recorded for this.</p>';
  const names = ['sent', 'acked', 'pending', 'lost', 'duplicated'] as const;
  const cells = names.map((name) => `<td class="number">${shortNumber(link[name])}</td>`).join('');
  return `<table class="narrow"><thead><tr>${names.map((name) => `<th scope="col" class="number">${name}</th>`).join('')}</tr></thead><tbody><tr>${cells}</tr></tbody></table>`;
}

function configBlock({ configText, skippedLines }: ReportData): string {
  const skipped =
    skippedLines > 0 ? `<p class="empty">${skippedLines} lines of the metrics file could not be read.</p>` : '';
  if (configText === '') return `<p class="empty">No configuration was written.</p>${skipped}`;
  return `<details><summary>The resolved configuration</summary><pre tabindex="0">${text(configText)}</pre></details>${skipped}`;
}

function percent(rate: number): string {
  return Number.isFinite(rate) ? `${(rate * 100).toFixed(1)} %` : '-';
}

function share(part: number, whole: number): string {
  return percent(whole > 0 ? part / whole : 0);
}

function seconds(value: number): string {
  const whole = Math.round(value);
  return whole < 60 ? `${value.toFixed(1)} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** What ended the training, for readers of the report; empty for runs that did not write it down. */
function endedBy(summary: RunSummary): string {
  if (summary.ended_by === undefined) return '';
  const reasons = {
    confirmed: 'a confirmed policy',
    steps: 'the limit of steps',
    wall: 'the limit of time that it was given',
  };
  return `, ended by ${reasons[summary.ended_by]}`;
}
