/** The report of a safety check: one HTML file that needs nothing else, and says so to the browser. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { printedBound, type SafetyCheckResult } from '../../safety-check/index.ts';
import { shortNumber } from '../report/chart.ts';
import { text } from '../report/html.ts';
import { comparisonFigures, energyFigure, marginFigure, stopFigures } from './safety-figures.ts';
import { armTable, attackersTable, limitsTable, marginsTable, stagesTable, violationsTable } from './safety-tables.ts';

const styleSheet = (): string => readFileSync(new URL('./safety.css', import.meta.url), 'utf8');

/** The whole page. Every text that came from a file is escaped; nothing is loaded, and no script runs. */
export function renderSafetyReport(result: SafetyCheckResult): string {
  const css = styleSheet();
  // The page may use its own style sheet and nothing else, wherever it is shown.
  const hash = createHash('sha256').update(css).digest('base64');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Safety check: ${text(result.robot)}</title>
<style>${css}</style>
</head>
<body>
${header(result)}
<main>
${sectionsOf(result).join('\n')}
</main>
${footer(result)}
</body>
</html>
`;
}

function header(result: SafetyCheckResult): string {
  const mood = result.ok ? 'good' : 'bad';
  const icon = result.ok ? 'M5 13l4.5 4.5L19 7' : 'M6 6l12 12M18 6L6 18';
  return `<header>
<p class="brand">Rein <span>safety check</span></p>
<div class="verdict ${mood}">
<svg class="icon" viewBox="0 0 24 24" role="img" aria-label="${result.ok ? 'passed' : 'found something'}"><path d="${icon}"/></svg>
<div><h1>${text(result.verdict)}</h1>
<p>${text(subline(result))}</p></div>
</div>
${cards(result)}
</header>`;
}

function subline({ plant, trials, simulatedS, joints, controlHz, startedAt }: SafetyCheckResult): string {
  const where = plant === 'mujoco' ? 'in MuJoCo' : 'against joints that follow with a lag';
  return `${shortNumber(trials)} trials ${where}, ${minutes(simulatedS)} of robot time at ${shortNumber(controlHz)} Hz, ${joints} joints. ${startedAt.slice(0, 10)}.`;
}

function cards(result: SafetyCheckResult): string {
  const { violations, energy, stops, ticks, margins } = result;
  const count = violations.reduce((sum, each) => sum + each.count, 0);
  const items: [string, string, string, 'good' | 'bad' | 'plain'][] = [
    ['Adversarial ticks', shortNumber(ticks), `seed ${result.seed}`, 'plain'],
    ['Violations', shortNumber(count), boundNote(result), count === 0 ? 'good' : 'bad'],
  ];
  const nearest = margins.selfM ?? margins.fenceM;
  if (nearest !== null) {
    items.push([
      'Nearest to itself or a wall',
      `${shortNumber(Math.round(nearest * 1e4) / 10)} mm`,
      'of the reference',
      nearest >= 0 ? 'good' : 'bad',
    ]);
  }
  if (energy.hasTank) {
    const isPaid = energy.surplusMaxJ <= energy.toleranceJ;
    const surplus = isPaid ? 'none' : `${figureOf(energy.surplusMaxJ)} J`;
    items.push([
      'Energy nobody paid for',
      surplus,
      `rounding allows ${figureOf(energy.toleranceJ)} J`,
      isPaid ? 'good' : 'bad',
    ]);
  }
  const slowest = stops.reduce((most, { time }) => Math.max(most, time.max), 0);
  const share = stops.reduce((most, { time }) => Math.max(most, time.shareOfBoundMax), 0);
  if (stops.length > 0) {
    const note = `at most ${Math.round(100 * share)} % of the predicted bound`;
    items.push(['Slowest stop', `${Math.round(slowest * 1e3)} ms`, note, share <= 1 ? 'good' : 'bad']);
  }
  const cells = items.map(
    ([label, value, note, mood]) =>
      `<li class="${mood}"><span class="label">${text(label)}</span><strong>${text(value)}</strong><span class="note">${text(note)}</span></li>`,
  );
  return `<ul class="cards">${cells.join('')}</ul>`;
}

/** Three significant digits. */
function figureOf(value: number): string {
  return shortNumber(Number(value.toPrecision(3)));
}

function boundNote({ violations, ticks }: SafetyCheckResult): string {
  const bound = violations.reduce((most, { applies, upperBound95, ticks: of }) => {
    return applies && of === ticks ? Math.max(most, upperBound95) : most;
  }, 0);
  return `rate below ${printedBound(bound).toExponential(1)} per tick, 95 % sure`;
}

function sectionsOf(result: SafetyCheckResult): string[] {
  return [
    section('What was counted', violationsTable(result), WITNESSES),
    section('The simulated arm', armTable(result), armLead(result)),
    section('How near it came', `<div class="split">${marginFigure(result)}${marginsTable(result)}</div>`),
    section('Energy', `<div class="split">${energyFigure(result)}${comparisonFigures(result)}</div>`),
    section('Stopping', stopFigures(result), STOPS),
    section('The attackers', attackersTable(result), ATTACKERS),
    section('The stages', stagesTable(result), STAGE_LEAD),
    section('Limits that were held', limitsTable(result)),
    section('What this does not say', list(result.notTested)),
    ...(result.assumed.length > 0 ? [section('Assumed', list(result.assumed), ASSUMED)] : []),
  ];
}

const WITNESSES =
  'Counted in every tick by witnesses that share no code with the chain: they read what was asked of the joints, and what the simulated robot did. Upper bounds hold with 95 % confidence: 3/N for none in N, else Clopper and Pearson.';
const STAGE_LEAD =
  'In how many ticks each stage of the chain changed what was asked. A tank that slows a robot leaves the others little to do: --without tank loads them.';
const STOPS =
  'Commands end, or turn to NaN, at random moments in motion. The bound is what the limits promise: detection (the lease), one tick, and the longest v/A of any joint.';
const ATTACKERS =
  'A margin of 1 is the middle, 0 the limit. "Changed" is how often the chain had to change what was asked: an attacker that it never changes is none.';
const ASSUMED = 'What no file said, and was worked out. Put it into the limits file to be sure.';

function armLead({ arm: { payloadMaxKg } }: SafetyCheckResult): string {
  const load =
    payloadMaxKg === null
      ? 'No payloadMaxKg is given, so it carried nothing but its own tool link, half to one and a half times as heavy.'
      : `In some trials it carried up to ${payloadMaxKg} kg that nobody compensates for.`;
  return `The chain holds the reference within the limits; the arm lags behind it and yields to loads. ${load}`;
}

function section(title: string, body: string, lead = ''): string {
  const id = title.toLowerCase().replace(/[^a-z]+/g, '-');
  const intro = lead === '' ? '' : `<p class="lead">${text(lead)}</p>`;
  return `<section aria-labelledby="${id}"><h2 id="${id}">${text(title)}</h2>${intro}${body}</section>`;
}

function list(items: readonly string[]): string {
  return `<ul class="plain">${items.map((item) => `<li>${text(item)}</li>`).join('')}</ul>`;
}

function footer({ command, seed, versions, machine, sources, wallS }: SafetyCheckResult): string {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `<footer>
<p>The same check again:</p>
<pre>${text(command)}</pre>
<p>${text(`Seed ${seed}. Files: ${sources.join(', ')}.`)}</p>
<p>${text(`${names.join(', ')}. Node ${machine.node}, ${machine.cores} cores, ${machine.cpu}; took ${minutes(wallS)}.`)}</p>
<p>Not a certified safety function. Nothing on this page was tried on hardware.</p>
</footer>`;
}

function minutes(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
