/** A run's status as lines of text. Pure: the same status and width give the same lines. */
import { wilsonInterval } from '../../core/index.ts';
import type { RunStatus } from '../../runtime/record/index.ts';
import {
  bar,
  columns,
  count,
  decimal,
  duration,
  fit,
  ink,
  oneLine,
  PLAIN,
  percent,
  sparkline,
  spread,
  type TextStyle,
} from './text.ts';

const LABEL_COLUMNS = 11;
const MESSAGES_SHOWN = 3;
const GAP = '   ';

/**
 * The display of `rein sim` and `rein run`: at most 15 lines, none wider than `width` columns (≥ 20).
 * Facts that do not fit at the end of a line are left out whole, least important first.
 */
export function renderStatus(status: RunStatus, width: number, style: TextStyle = PLAIN): string[] {
  const room = Math.max(20, Math.floor(width));
  const rule = ink(style, 'dim', (style.glyphs === 'unicode' ? '─' : '-').repeat(room));
  const lines = [
    header(status, room, style),
    rule,
    row('Steps', progress(status.envSteps, status.envStepsTotal, '', room, style), room, style),
    row('Updates', updateFacts(status, style), room, style),
    row('Success', successFacts(status, room, style), room, style),
    row('Help', helpFacts(status), room, style),
    row('Filters', filterFacts(status, style), room, style),
    row('Policy', policyFacts(status), room, style),
    row('Link', linkFacts(status, style), room, style),
  ];
  const phase = status.phaseProgress;
  if (phase !== null) {
    lines.splice(
      2,
      0,
      row(capital(status.phase), progress(phase.done, phase.total, phase.unit, room, style), room, style),
    );
  }
  lines.push(rule, operatorLine(status, room, style));
  const pointer = style.glyphs === 'unicode' ? '›' : '>';
  for (const message of status.messages.slice(-MESSAGES_SHOWN)) {
    lines.push(fit(`${ink(style, 'dim', pointer)} ${oneLine(message)}`, room, style));
  }
  return lines;
}

/** The same on one line, for logs and pipes: complete words, no colour, no cut. */
export function renderLine(status: RunStatus): string {
  const { successes, episodes } = status.success;
  const interval = wilsonInterval(successes, episodes);
  const phase = status.phaseProgress;
  const facts = [
    `${duration(status.elapsedS)} ${status.phase}${phase === null ? '' : ` ${phase.done}/${phase.total} ${oneLine(phase.unit)}`}`,
    `steps ${status.envSteps}/${status.envStepsTotal}`,
    `updates ${status.updates} (UTD ${decimal(status.utdAchieved, 2)} of ${status.utdTarget}, ${decimal(status.updatesPerS, 0)}/s)`,
    episodes === 0
      ? 'success not measured yet'
      : `success ${percent(successes / episodes)} [${decimal(interval.low * 100, 1)}, ${decimal(interval.high * 100, 1)}] n=${episodes}`,
    `help ${decimal(status.intervention.segmentsPerEpisode, 2)}/episode ${percent(status.intervention.stepShare)} of steps`,
    `filters ${percent(status.filter.changedShare)} of ticks, ${status.filter.violations} violations`,
    [`margin ${percent(status.filter.marginMin)}`, ...tankFacts(status)].join(' '),
    [`policy v${status.policy.version} ${age(status.policy.ageS)} old`, ...ahead(status)].join(' '),
    `pending ${status.link.pending} lost ${status.link.lost} duplicated ${status.link.duplicated}`,
    `left ${duration(status.timeLeftS)}`,
  ];
  return facts.join(' | ');
}

function header(status: RunStatus, width: number, style: TextStyle): string {
  const dot = style.glyphs === 'unicode' ? ' · ' : ' - ';
  const left = [ink(style, 'bold', `Rein${dot}${status.phase}`), oneLine(status.task), `seed ${status.seed}`].join(dot);
  const times = `${duration(status.elapsedS)} elapsed, ${duration(status.timeLeftS)} left`;
  return spread(left, width >= 60 ? times : `${duration(status.timeLeftS)} left`, width, style);
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
  const words = `${count(done)} of ${count(total)}${unit === '' ? '' : ` ${oneLine(unit)}`}`;
  const numbers = `${words}${GAP}${percent(share, 0)}`;
  const barColumns = Math.min(40, width - LABEL_COLUMNS - columns(numbers) - GAP.length);
  return barColumns < 8 ? [words, percent(share, 0)] : [bar(share, barColumns, style), words, percent(share, 0)];
}

function updateFacts(status: RunStatus, style: TextStyle): string[] {
  const utd = `UTD ${decimal(status.utdAchieved, 2)} of ${status.utdTarget}`;
  // Updates may never exceed the contract; the half step allows for rounding up to a whole update.
  const over = status.utdTarget > 0 && status.utdAchieved > status.utdTarget * 1.005;
  return [count(status.updates), over ? ink(style, 'red', utd) : utd, `${decimal(status.updatesPerS, 0)} updates/s`];
}

function successFacts(status: RunStatus, width: number, style: TextStyle): string[] {
  const { successes, episodes } = status.success;
  const line = sparkline(status.successHistory, Math.min(24, Math.floor(width / 4)), style);
  const history = line === '' ? [] : [ink(style, 'green', line)];
  if (episodes === 0) return ['not measured yet', ...history];
  const interval = wilsonInterval(successes, episodes);
  const range = `95 %: ${decimal(interval.low * 100, 1)} to ${decimal(interval.high * 100, 1)} %`;
  return [ink(style, 'bold', percent(successes / episodes)), range, `n = ${episodes}`, ...history, 'autonomous'];
}

function helpFacts(status: RunStatus): string[] {
  const { segmentsPerEpisode, stepShare } = status.intervention;
  return [`${decimal(segmentsPerEpisode, 2)} interventions/episode`, `${percent(stepShare)} of steps`];
}

function filterFacts(status: RunStatus, style: TextStyle): string[] {
  const { changedShare, violations, marginMin } = status.filter;
  const broken = `${count(violations)} limit violations`;
  const changed = `${percent(changedShare)} of ticks changed`;
  const room = [`margin ${percent(marginMin)}`, ...tankFacts(status)];
  return violations > 0 ? [ink(style, 'red', broken), changed, ...room] : [changed, broken, ...room];
}

/** Content of the energy tank, where there is one. */
function tankFacts({ filter: { tankLevel } }: RunStatus): string[] {
  return tankLevel === null ? [] : [`tank ${percent(tankLevel)}`];
}

function policyFacts(status: RunStatus): string[] {
  const { version, ageS } = status.policy;
  const own = version === 0 ? ['untrained'] : [`version ${count(version)}`, `${age(ageS)} old`];
  return [...own, ...ahead(status)];
}

/** The learner's newest weights, where they are not the ones in use. */
function ahead({ policy: { version, learnerVersion } }: RunStatus): string[] {
  return learnerVersion > version ? [`learner has ${count(learnerVersion)}`] : [];
}

function linkFacts(status: RunStatus, style: TextStyle): string[] {
  const { sent, acked, pending, lost, duplicated } = status.link;
  const flow = [`${count(sent)} sent`, `${count(acked)} acked`, `${count(pending)} pending`];
  const harm = [`${count(lost)} lost`, `${count(duplicated)} duplicated`];
  // What went wrong comes first, where no narrow terminal can hide it.
  return lost + duplicated > 0 ? [...harm.map((fact) => ink(style, 'red', fact)), ...flow] : [...flow, ...harm];
}

function operatorLine(status: RunStatus, width: number, style: TextStyle): string {
  const who = oneLine(status.operator.driving);
  const human = who !== 'policy' && who !== 'nobody';
  const driving = `Driving: ${human ? ink(style, 'yellow', who) : who}`;
  const keys = oneLine(status.operator.keys);
  return fit(keys === '' ? driving : `${driving}${GAP}${ink(style, 'dim', keys)}`, width, style);
}

function age(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '-';
  return seconds < 100 ? `${seconds.toFixed(1)} s` : duration(seconds);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
