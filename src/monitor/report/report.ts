/** Report page of a run: a self-contained HTML file. */
import { join } from 'node:path';
import { replaceFile } from '../../host/index.ts';
import { counted, mean, percent, wilsonInterval } from '../../model/index.ts';
import {
  type EpisodeRecording,
  encodeRecording,
  type MetricRecord,
  missedTargets,
  perHourText,
  RUN_FILES,
  type RunSummary,
  restartsText,
  type WorkRates,
  workOf,
  workRates,
  workRatesText,
} from '../../record/index.ts';
import {
  type Card,
  cards,
  charts,
  durationText,
  embeddedJson,
  type Html,
  html,
  meter,
  meters,
  NOT_RECORDED,
  NOTHING,
  numbers,
  renderPage,
  section,
  shortNumber,
  sign,
  table,
} from '../page/html.ts';
import { settingsOf } from '../page/settings.ts';
import { calibration, filterActivity, histograms, only, trainingFigures } from './figures.ts';
import type { ReportData } from './run-data.ts';
import { whyRows } from './why.ts';

/** Writes `report.html` into `folder` atomically; returns its path. Rejects if the disk refuses. */
export async function writeReport(folder: string, data: ReportData): Promise<string> {
  const path = join(folder, RUN_FILES.report);
  await replaceFile(path, renderReport(data));
  return path;
}

/** Renders the whole page. */
export function renderReport(data: ReportData): string {
  const { records, summary, recordings } = data;
  const intervals = isTeleop(data) ? '' : ' Intervals are Wilson score intervals at 95 %.';
  return renderPage({
    title: `Rein: ${summary?.task ?? 'run'}, ${data.runId}`,
    kind: 'run report',
    header: html`<h1>${headline(data)}</h1><p class="meta">${metaLine(data)}</p>${isTeleop(data) ? NOTHING : summaryCards(summary)}`,
    sections: [
      ...(recordings.length > 0 ? [section('Watch it', html`<div class="pair">${recordings.map(player)}</div>`)] : []),
      ...(isTeleop(data) ? [] : learningSections(data)),
      section('Safety filters', filterActivity(records, summary?.safety)),
      section('Timing', charts(histograms(records))),
      section('Link', linkTable(records, summary)),
      section('Configuration', configBlock(data)),
    ],
    footer: html`<p>Made from the files in the run's folder.${intervals}</p>`,
  });
}

/** True for teleoperation: there is no task, and nothing to learn or to succeed in. */
function isTeleop({ configText }: ReportData): boolean {
  return settingsOf(configText).get('run.command') === 'teleop';
}

function learningSections(data: ReportData): Html[] {
  const { records, summary } = data;
  const target = summary?.target_success_rate ?? null;
  const learning = html`${helpText(data)}${askedText(records)}${basePhaseText(records)}${resetText(records)}${charts([...trainingFigures(records, target), calibration(records)])}`;
  return [
    section('Learning', learning),
    section('Comparison', baselines(records, summary)),
    section('Why is it not learning?', whyRows(records)),
  ];
}

/** False for a policy run without a learner: its episodes train nothing. */
function isLearning(records: readonly MetricRecord[]): boolean {
  return only(records, 'setup').at(-1)?.learner !== null;
}

/** Headline from the robot's own episodes, for live runs and runs that ended before their evaluation. */
function robotHeadline(records: readonly MetricRecord[]): string | undefined {
  const episodes = only(records, 'episode').filter(
    ({ purpose, cutBy }) => purpose === 'training' && cutBy === undefined,
  );
  if (episodes.length === 0) return undefined;
  const what = isLearning(records) ? 'training episodes' : 'episodes';
  return `${episodes.filter(({ success }) => success).length} of ${episodes.length} ${what} succeeded`;
}

/** Share of the operator's or the script's help. */
function helpText({ records, summary }: ReportData): Html {
  const episodes = only(records, 'episode').filter(({ purpose }) => purpose === 'training');
  const alone = episodes.filter(({ interventions, cutBy }) => interventions === 0 && cutBy === undefined);
  const cut = episodes.filter(({ cutBy }) => cutBy !== undefined).length;
  if (episodes.length === 0) return NOTHING;
  const rates = trainingRates(summary, episodes);
  const uncounted = cut === 0 ? '' : ` ${cut} that were cut are not counted.`;
  const successes = alone.filter(({ success }) => success).length;
  return html`<p>Without help ${successes} of ${counted(alone.length, 'episode')} succeeded; ${workRatesText(rates)}.${uncounted}</p>`;
}

/** Rates over all training episodes from their first step on, as counted by the run; from its records if it wrote no summary. */
function trainingRates(summary: RunSummary | null, episodes: Parameters<typeof workOf>[0]): WorkRates {
  const { training_successes_per_hour: successesPerHour, human_step_share: humanStepShare } = summary ?? {};
  if (successesPerHour === undefined || humanStepShare === undefined) return workRates(workOf(episodes));
  return { successesPerHour, humanStepShare };
}

/** Shares of base and learned policy in the episodes, for tasks with a phase switch. */
function basePhaseText(records: readonly MetricRecord[]): Html {
  const phased = only(records, 'episode').filter(
    ({ purpose, basePhase }) => purpose === 'training' && basePhase !== undefined,
  );
  if (phased.length === 0) return NOTHING;
  const begunBy = (cause: 'rule' | 'button' | null) => phased.filter(({ basePhase }) => basePhase?.endedBy === cause);
  const share =
    mean(phased.map(({ basePhase }) => basePhase!.steps)) / Math.max(1, mean(phased.map(({ steps }) => steps)));
  const never = begunBy(null);
  const alone = never.filter(({ success }) => success).length;
  return html`<p>The base policy drove in ${percent(share)} of the steps. Of ${phased.length} episodes the critical phase began by rule in ${begunBy('rule').length}, by button in ${begunBy('button').length}, and not at all in ${never.length}, of which ${alone} succeeded.</p>`;
}

/** Resets done by a script or a second policy, and by what the failed ones were completed. */
function resetText(records: readonly MetricRecord[]): Html {
  const resets = only(records, 'reset');
  if (resets.length === 0) return NOTHING;
  const back = resets.filter(({ isBack }) => isBack).length;
  const by = (who: string): number => resets.filter(({ setBackBy }) => setBackBy === who).length;
  const others =
    back === resets.length ? '' : `; the simulator put it there in ${by('simulator')}, people in ${by('people')}`;
  return html`<p>${back} of ${resets.length} ways back to where an episode begins got there, by ${resets[0]!.by}${others}.</p>`;
}

/** Number of help requests, how many were answered, and the outcome of those episodes. */
function askedText(records: readonly MetricRecord[]): Html {
  const asked = only(records, 'help');
  if (asked.length === 0) return NOTHING;
  const answered = asked.filter(({ answer }) => answer !== 'none');
  const outcome = (answer: 'tookOver' | 'goOn' | 'none'): string => {
    const those = asked.filter((each) => each.answer === answer);
    return `${those.filter(({ success }) => success).length} of ${those.length}`;
  };
  const waited =
    answered.length === 0 ? '' : `, after ${durationText(mean(answered.map(({ waitedS }) => waitedS)))} on average`;
  return html`<p>The robot asked for help in ${counted(asked.length, 'episode')}, and a person answered in ${answered.length}${waited}. ${outcome('tookOver')} succeeded where they took over, ${outcome('goOn')} where they let it go on, ${outcome('none')} without an answer.</p>`;
}

function headline(data: ReportData): string {
  const { summary, runId, records } = data;
  if (isTeleop(data)) return ['Teleoperation', ...records.slice(-1).map(({ tS }) => durationText(tS))].join(', ');
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

function summaryCards(summary: RunSummary | null): Html {
  if (summary === null) {
    return html`<p class="empty">There is no evaluation: a live run has none, and a stopped run ends before it.</p>`;
  }
  return cards([...targetCards(summary), ...successCards(summary), ...workCards(summary), ...harmCards(summary)]);
}

function targetCards(summary: RunSummary): Card[] {
  const { target_success_rate: target } = summary;
  if (target === undefined) return [];
  const missed = missedTargets(summary);
  if (missed.length > 0) return [['Target', 'not met', missed.join('; '), 'bad']];
  return [['Target', 'met', `asked for: ${percent(target)}`, 'good']];
}

function successCards(summary: RunSummary): Card[] {
  const { success_rate: rate, eval_episodes: episodes, target_success_rate: target = 0 } = summary;
  const { successes_per_hour: perHour, training_successes_per_hour: trained } = summary;
  const successes = Math.min(episodes, Math.round(rate * episodes));
  const range = wilsonInterval(successes, episodes);
  const interval = `95 %: ${(range.low * 100).toFixed(1)} to ${percent(range.high)}`;
  const mood = rate >= target ? 'good' : 'bad';
  const success: Card = ['Success', percent(rate), `${successes} of ${episodes} without help, ${interval}`, mood];
  if (perHour === undefined) return [success];
  const training = trained === undefined ? '' : `${perHourText(trained)} in training; `;
  return [success, ['Successes per hour', perHourText(perHour), `${training}simulated time, resets included`, 'plain']];
}

function workCards(summary: RunSummary): Card[] {
  const { training_wall_s: trainingS, human_step_share: helped } = summary;
  const rate = `${shortNumber(Math.round(summary.updates_per_s))} updates/s`;
  const trained = trainingS === undefined ? '' : `training ${durationText(trainingS)}${endedBy(summary)}, `;
  const share = helped === undefined ? '' : `, ${percent(helped)} of the training steps`;
  const updates = `${shortNumber(summary.updates)} updates, UTD ${shortNumber(summary.utd)}`;
  const help = `${shortNumber(summary.intervention_steps)} steps of help${share}`;
  return [
    ['Environment steps', shortNumber(summary.env_steps), updates, 'plain'],
    ['Wall time', durationText(summary.wall_s), `${trained}${rate}`, 'plain'],
    ['Interventions', shortNumber(summary.interventions), help, 'plain'],
  ];
}

function harmCards({ safety, link }: RunSummary): Card[] {
  const leaks = link.lost + link.duplicated;
  const restarts = restartsText(safety.restarts, safety.restarted_for);
  const changed = `${share(safety.changed_ticks, safety.ticks)} of all ticks changed by filters, evaluation included`;
  return [
    [
      'Limit violations',
      shortNumber(safety.violations),
      `${changed}${restarts}`,
      safety.violations === 0 ? 'good' : 'bad',
    ],
    [
      'Lost or duplicated',
      shortNumber(leaks),
      `of ${shortNumber(link.sent)} transitions`,
      leaks === 0 ? 'good' : 'bad',
    ],
  ];
}

function player(recording: EpisodeRecording): Html {
  const { caption, success } = recording;
  return html`<figure aria-label="${caption}">
<h3>${caption} ${success ? sign('good', 'success') : sign('bad', 'no success')}</h3>
<div class="recording"><p>An animation of the arm.</p>${embeddedJson(encodeRecording(recording))}</div>
</figure>`;
}

interface ComparedRow {
  readonly label: string;
  /** Kind of episodes that it was measured on. */
  readonly on: 'evaluation' | 'validation' | 'training' | 'running';
  readonly successes: number;
  readonly episodes: number;
  readonly meanSteps: number | null;
}

/** Measurements: the newest figure of each evaluation, and baselines that are available at no cost. */
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
    const what = isLearning(records)
      ? ({ label: 'while it learned', on: 'training' } as const)
      : ({ label: 'while it ran', on: 'running' } as const);
    rows.push({ ...what, successes, episodes: alone.length, meanSteps });
  }
  if (first !== undefined && first.envStep === 0) {
    rows.push({ ...first, label: `before training on the robot (policy ${first.policyVersion})`, on: 'validation' });
  }
  return rows;
}

function baselines(records: readonly MetricRecord[], summary: RunSummary | null): Html {
  const rows = compared(records);
  if (rows.length === 0) return NOT_RECORDED;
  const cells = rows.map(({ label, on, successes, episodes, meanSteps }) => {
    const { low, high } = wilsonInterval(Math.min(successes, episodes), episodes);
    const rate = episodes > 0 ? successes / episodes : 0;
    const steps = Number.isFinite(meanSteps) && meanSteps !== null ? shortNumber(Number(meanSteps.toFixed(1))) : '-';
    const interval = `${percent(low)} to ${percent(high)}`;
    return [label, on, meter(rate, 'blue', [low, high]), percent(rate), interval, `${successes} of ${episodes}`, steps];
  });
  const columns = [
    'Policy',
    'Episodes of',
    meters('Success'),
    ...['Rate', '95 % interval', 'Episodes', 'Mean steps'].map(numbers),
  ];
  const seed = summary === null ? '' : ` Training seed ${summary.seed}.`;
  const chosen = isLearning(records)
    ? ' The policy that is kept was chosen on the validation episodes, not on those of the evaluation; in training it explores.'
    : '';
  return html`${table(columns, cells)}<p>All without help.${chosen}${seed}</p>`;
}

function linkTable(records: readonly MetricRecord[], summary: RunSummary | null): Html {
  const last = only(records, 'link').at(-1);
  const link = last ?? (summary === null ? undefined : { ...summary.link, pending: 0 });
  if (link === undefined) return NOT_RECORDED;
  const names = ['sent', 'acked', 'pending', 'lost', 'duplicated'] as const;
  return table(['', ...names.map(numbers)], [['transitions', ...names.map((name) => shortNumber(link[name]))]]);
}

function configBlock({ configText, skippedLines }: ReportData): Html {
  const skipped =
    skippedLines > 0
      ? html`<p class="empty">${skippedLines} lines of the metrics file could not be read.</p>`
      : NOTHING;
  if (configText === '') return html`<p class="empty">No configuration was written.</p>${skipped}`;
  return html`<details><summary>The resolved configuration</summary><pre tabindex="0">${configText}</pre></details>${skipped}`;
}

function share(part: number, whole: number): string {
  return percent(whole > 0 ? part / whole : 0);
}

/** Reason for the end of training; empty for runs that did not record it. */
function endedBy(summary: RunSummary): string {
  if (summary.ended_by === undefined) return '';
  const reasons = {
    confirmed: 'a confirmed policy',
    steps: 'the limit of steps',
    wall: 'the limit of time that it was given',
  };
  return `, ended by ${reasons[summary.ended_by]}`;
}
