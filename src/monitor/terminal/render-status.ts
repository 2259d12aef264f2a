/** Run status as lines of text. Pure: the same status and width give the same lines. */
import { clockText, counted, grouped, percent, wilsonInterval } from '../../model/index.ts';
import { perHourText } from '../../record/index.ts';
import type { RecordingStatus, RunStatus, ToolView } from '../../session/index.ts';
import type { OperatorEcho } from '../../teleop/index.ts';
import { CURVE_ROWS, learningCurve } from './learning-curve.ts';
import { sideView } from './side-view.ts';
import { bar, columns, decimal, fit, ink, oneLine, PLAIN, sparkline, spread, type TextStyle, wrapped } from './text.ts';

const LABEL_COLUMNS = 11;
/** Label of a phase's progress row if its name is too long. */
const SHORT: Partial<Record<RunStatus['phase'], string>> = { demonstrations: 'Shown', 'behaviour cloning': 'Cloning' };
const MESSAGES_SHOWN = 3;
/** A rule, the driver, and messages. */
const REST_LINES = 2 + MESSAGES_SHOWN;
const GAP = '   ';
/** Smallest width and height left at which the arm is drawn. */
const SIDE_WIDTH = 100;
const SIDE_ROWS = 10;
const MOST_SIDE_ROWS = 16;
const SIDE_COLUMNS = 46;

/** Legend of the display, for the help text: lines that fit a terminal of 80 columns. */
export const LEGEND: readonly string[] = [
  'UTD      updates per environment step: achieved, and as configured',
  'Filters  ticks in which the safety chain changed a command; margin: what is left to the',
  '         nearest limit; tank: energy that may still be put into the robot',
  'Link     transitions sent to the learner, acknowledged by it, and still on the way',
];

/**
 * Display of `rein sim` and `rein run`: at most 17 lines, none wider than `width` columns (≥ 20); plus the learning
 * curve and the side view of the arm if they fit into `rows`. Rows that do not apply to the run (no learner, tool or
 * number of steps) are omitted, as are facts that do not fit at the end of a line, least important first.
 */
export function renderStatus(status: RunStatus, width: number, style: TextStyle = PLAIN, rows = 0): string[] {
  const room = Math.max(20, Math.floor(width));
  const rule = ink(style, 'dim', (style.glyphs === 'unicode' ? '─' : '-').repeat(room));
  const add = (label: string, facts: readonly string[]): void => void lines.push(row(label, facts, room, style));
  const lines = [header(status, room, style), rule];
  const { phaseProgress, tool } = status;
  if (phaseProgress !== null) {
    const { done, total, unit, beside = status.phase } = phaseProgress;
    add(SHORT[beside] ?? capital(beside), progress(done, total, unit, room, style));
  }
  if (status.recording !== undefined) add('Recorded', recordingFacts(status.recording));
  add('Steps', stepFacts(status, room, style));
  if (hasLearner(status)) add('Updates', updateFacts(status));
  // Success is a policy's: teleoperation has none to measure.
  if (status.policy.isAbsent !== true) {
    add('Success', successFacts(status, room, style));
    add('Help', helpFacts(status));
  }
  add('Filters', filterFacts(status, style));
  if (tool !== undefined) add('Tool', toolFacts(tool));
  add('Policy', policyFacts(status));
  if (hasLearner(status)) add('Link', linkFacts(status, style));
  const end = lines.length;
  lines.push(rule, operatorLine(status, room, style));
  const pointer = style.glyphs === 'unicode' ? '›' : '>';
  const { prompt } = status.operator;
  // The operator's instruction is at the end of the prompt: it is not cut.
  const asked = prompt === undefined ? [] : wrapped(`${pointer} ${oneLine(prompt)}`, room, MESSAGES_SHOWN, style);
  lines.push(...asked.map((line) => ink(style, 'yellow', line)));
  const left = MESSAGES_SHOWN - asked.length;
  for (const message of left > 0 ? status.messages.slice(-left) : []) {
    lines.push(fit(`${ink(style, 'dim', pointer)} ${oneLine(message)}`, room, style));
  }
  // Messages come and go; the curve must keep its place.
  lines.splice(end, 0, ...pictures(status, room, rows - end - REST_LINES, style));
  return lines;
}

/** Learning curve in `rows` lines, with the side view of the arm if both fit; empty if neither does. */
function pictures({ successHistory, tool }: RunStatus, width: number, rows: number, style: TextStyle): string[] {
  if (rows < CURVE_ROWS) return [];
  if (tool?.jointsM === undefined || width < SIDE_WIDTH || rows < SIDE_ROWS) {
    return learningCurve(successHistory, width, style);
  }
  const height = Math.min(rows, MOST_SIDE_ROWS);
  const room = width - SIDE_COLUMNS - GAP.length;
  const curve = learningCurve(successHistory, room, style);
  const above = Array.from({ length: height - curve.length }, () => '');
  const side = sideView(tool.jointsM, SIDE_COLUMNS, height, style);
  return [...above, ...curve].map((line, i) => `${line}${' '.repeat(room - columns(line))}${GAP}${side[i]}`.trimEnd());
}

/** False for a robot that acts alone. */
function hasLearner({ utdTarget }: RunStatus): boolean {
  return utdTarget > 0;
}

/** Status on one line, for logs and pipes: complete words, no colour, no truncation. */
export function renderLine(status: RunStatus): string {
  const { successes, episodes } = status.success;
  const interval = wilsonInterval(successes, episodes);
  const facts = [
    `${clockText(status.elapsedS)} ${status.phase}${phaseProgressText(status)}`,
    ...(status.recording === undefined ? [] : recordingFacts(status.recording)),
    `steps ${status.envSteps}${status.envStepsTotal > 0 ? `/${status.envStepsTotal}` : ''}`,
    ...(hasLearner(status)
      ? [
          `updates ${status.updates} (UTD ${decimal(status.utdAchieved, 2)} of ${status.utdTarget}, ${decimal(status.updatesPerS, 0)}/s)`,
        ]
      : []),
    ...(status.policy.isAbsent === true
      ? [`driving: ${oneLine(status.operator.driving)}`]
      : [
          episodes === 0
            ? 'success not measured yet'
            : `success ${percent(successes / episodes)} [${decimal(interval.low * 100, 1)}, ${decimal(interval.high * 100, 1)}] n=${episodes}`,
          ...perHourFacts(status),
          `help ${decimal(status.intervention.segmentsPerEpisode, 2)}/episode ${percent(status.intervention.stepShare)} of steps`,
        ]),
    `filters ${percent(status.filter.changedShare)} of ticks, ${status.filter.violations} violations`,
    [`margin ${percent(status.filter.marginMin)}`, ...tankFacts(status), ...speedFacts(status)].join(' '),
    status.policy.isAbsent === true
      ? 'no policy'
      : [`policy v${status.policy.version} ${age(status.policy.ageS)} old`, ...ahead(status)].join(' '),
    ...(hasLearner(status)
      ? [`pending ${status.link.pending} lost ${status.link.lost} duplicated ${status.link.duplicated}`]
      : []),
    ...(status.timeLeftS === null || status.phase === 'done' ? [] : [`left ${clockText(status.timeLeftS)}`]),
  ];
  return facts.join(' | ');
}

function phaseProgressText({ phaseProgress }: RunStatus): string {
  if (phaseProgress === null) return '';
  const { done, total, unit, beside } = phaseProgress;
  return `${beside === undefined ? '' : `, ${beside}`} ${done}/${total} ${oneLine(unit)}`;
}

function header(status: RunStatus, width: number, style: TextStyle): string {
  const dot = style.glyphs === 'unicode' ? ' · ' : ' - ';
  const left = [ink(style, 'bold', `Rein${dot}${status.phase}`), oneLine(status.task), `seed ${status.seed}`].join(dot);
  const elapsed = `${clockText(status.elapsedS)} elapsed`;
  if (status.phase === 'done' || status.timeLeftS === null) return spread(left, elapsed, width, style);
  const remaining = `${clockText(status.timeLeftS)} left`;
  return spread(left, width >= 60 ? `${elapsed}, ${remaining}` : remaining, width, style);
}

function row(label: string, facts: readonly string[], width: number, style: TextStyle): string {
  let line = ink(style, 'dim', fit(label, LABEL_COLUMNS - 1, style).padEnd(LABEL_COLUMNS));
  let used = LABEL_COLUMNS;
  for (const [i, fact] of facts.entries()) {
    const gap = i === 0 ? '' : GAP;
    if (used + gap.length + columns(fact) > width) {
      if (i === 0) return fit(line + fact, width, style);
      break;
    }
    line += gap + fact;
    used += gap.length + columns(fact);
  }
  return line;
}

function progress(done: number, total: number, unit: string, width: number, style: TextStyle): string[] {
  const share = total > 0 ? done / total : 0;
  const words = `${grouped(done)} of ${grouped(total)}${unit === '' ? '' : ` ${oneLine(unit)}`}`;
  const numbers = `${words}${GAP}${percent(share, 0)}`;
  const barColumns = Math.min(40, width - LABEL_COLUMNS - columns(numbers) - GAP.length);
  return barColumns < 8 ? [words, percent(share, 0)] : [bar(share, barColumns, style), words, percent(share, 0)];
}

/** Progress of `rein record`. */
function recordingFacts(recording: RecordingStatus): string[] {
  const { state, kept, wanted, failed, meanSteps, steps, stepsPerS, journalBytes, freeBytes } = recording;
  const tried = kept + failed;
  return [
    wanted === null ? `${grouped(kept)} kept` : `${grouped(kept)} of ${grouped(wanted)} kept`,
    ...(state === 'waiting' ? [] : [`${state} ${counted(steps, 'step', ' ')}, ${decimal(stepsPerS, 1)}/s`]),
    ...(tried === 0 ? [] : [`success ${percent(kept / tried, 0)}`, `mean ${counted(Math.round(meanSteps), 'step')}`]),
    `disk ${decimal(journalBytes / 1e6, 1)} MB, ${decimal(freeBytes / 1e9, 0)} GB free`,
  ];
}

/** Without a total, no share is shown. */
function stepFacts({ envSteps, envStepsTotal }: RunStatus, width: number, style: TextStyle): string[] {
  return envStepsTotal > 0 ? progress(envSteps, envStepsTotal, '', width, style) : [grouped(envSteps)];
}

function updateFacts(status: RunStatus): string[] {
  const utd = `UTD ${decimal(status.utdAchieved, 2)} of ${status.utdTarget}`;
  return [grouped(status.updates), utd, `${decimal(status.updatesPerS, 0)} updates/s`];
}

function successFacts(status: RunStatus, width: number, style: TextStyle): string[] {
  const { successes, episodes, helped } = status.success;
  const perHour = perHourFacts(status);
  const line = sparkline(status.successHistory, Math.min(24, Math.floor(width / 4)), style);
  const history = line === '' ? [] : [ink(style, 'green', line)];
  if (episodes === 0) return ['not measured yet', ...perHour, ...history];
  const interval = wilsonInterval(successes, episodes);
  const range = `95 %: ${decimal(interval.low * 100, 1)} to ${decimal(interval.high * 100, 1)} %`;
  const apart = helped === undefined || helped === 0 ? [] : [`${helped} more with help`];
  const rate = ink(style, 'bold', percent(successes / episodes));
  return [rate, range, `n = ${episodes} without help`, ...apart, ...perHour, ...history];
}

function perHourFacts({ success: { rates } }: RunStatus): string[] {
  const perHour = rates?.successesPerHour;
  return perHour === undefined ? [] : [`${perHourText(perHour)} successes/h`];
}

/** Millimetres and newtons for steering: signs keep their columns. */
function toolFacts({ positionM, offsetM, forceN }: ToolView): string[] {
  const mm = (metres: readonly number[]): string => metres.map((v) => decimal(1e3 * v, 1).padStart(6)).join(' ');
  const offset = offsetM === undefined ? [] : [`to go ${mm(offsetM)} mm`];
  return [...offset, `force ${decimal(forceN, 1).padStart(4)} N`, `at ${mm(positionM)} mm`];
}

function helpFacts(status: RunStatus): string[] {
  const { segmentsPerEpisode, stepShare } = status.intervention;
  return [`${decimal(segmentsPerEpisode, 2)} interventions/episode`, `${percent(stepShare)} of steps`];
}

function filterFacts(status: RunStatus, style: TextStyle): string[] {
  const { changedShare, violations, marginMin } = status.filter;
  const broken = `${grouped(violations)} limit violations`;
  const changed = `${percent(changedShare)} of ticks changed`;
  const room = [`margin ${percent(marginMin)}`, ...tankFacts(status), ...speedFacts(status)];
  return violations > 0 ? [ink(style, 'red', broken), changed, ...room] : [changed, broken, ...room];
}

/** Energy tank level, if there is a tank. */
function tankFacts({ filter: { tankLevel } }: RunStatus): string[] {
  return tankLevel === null ? [] : [`tank ${percent(tankLevel)}`];
}

/** Speed limit of any point of the arm, if there is one: reduced speed, or that of the robot's file. */
function speedFacts({ filter: { toolSpeedMPerS } }: RunStatus): string[] {
  return toolSpeedMPerS === undefined ? [] : [`tool at most ${decimal(toolSpeedMPerS, 2)} m/s`];
}

function policyFacts(status: RunStatus): string[] {
  const { version, ageS, isAbsent } = status.policy;
  if (isAbsent === true) return ['none: people alone drive'];
  const own = version === 0 ? ['untrained'] : [`version ${grouped(version)}`, `${age(ageS)} old`];
  return [...own, ...ahead(status)];
}

/** Version of the learner's newest weights, if not in use yet. */
function ahead({ policy: { version, learnerVersion } }: RunStatus): string[] {
  return learnerVersion > version ? [`learner has ${grouped(learnerVersion)}`] : [];
}

function linkFacts(status: RunStatus, style: TextStyle): string[] {
  const { sent, acked, pending, lost, duplicated } = status.link;
  const flow = [`${grouped(sent)} sent`, `${grouped(acked)} acked`, `${grouped(pending)} pending`];
  const harm = [`${grouped(lost)} lost`, `${grouped(duplicated)} duplicated`];
  // Losses come first, where a narrow terminal does not hide them.
  return lost + duplicated > 0 ? [...harm.map((fact) => ink(style, 'red', fact)), ...flow] : [...flow, ...harm];
}

function operatorLine(status: RunStatus, width: number, style: TextStyle): string {
  const { person, keys: help, driving: who } = status.operator;
  const name = oneLine(who);
  const isHuman = name !== 'policy' && name !== 'nobody';
  const driving = `Driving: ${isHuman ? ink(style, 'yellow', name) : name}`;
  const keys = help === '' ? [] : [ink(style, 'dim', oneLine(help))];
  return fit([driving, ...personFacts(person, name), ...keys].join(GAP), width, style);
}

/** Echo of the operator's input, also before it takes effect. */
function personFacts(person: OperatorEcho | undefined, driving: string): string[] {
  if (person === undefined) return [];
  const { isInControl, isStopped, stepScale, lastKey } = person;
  const isWaiting = isInControl && !driving.startsWith('you');
  const waiting = isStopped ? 'stop requested' : 'you from the next step on';
  return [
    ...(isWaiting ? [waiting] : []),
    ...(lastKey === '' ? [] : [`key ${lastKey === ' ' ? 'space' : lastKey}`]),
    ...(isInControl ? [`speed ${percent(stepScale, 0)}`] : []),
  ];
}

function age(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '-';
  return seconds < 100 ? `${seconds.toFixed(1)} s` : clockText(seconds);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
