/** Page of a safety check: a self-contained HTML file. */
import { replaceFile } from '../../host/index.ts';
import { percent } from '../../model/index.ts';
import { printedBound, type SafetyCheckResult } from '../../safety-check/index.ts';
import {
  type Card,
  cards,
  durationText,
  figureOf,
  type Html,
  html,
  list,
  millimetres,
  renderPage,
  section,
  shortNumber,
} from '../page/html.ts';
import { comparisonFigures, energyFigure, marginFigure, stopFigures } from './safety-figures.ts';
import { armTable, attackersTable, limitsTable, marginsTable, stagesTable, violationsTable } from './safety-tables.ts';

/** Writes the page to `path` atomically. Rejects if the disk refuses. */
export async function writeSafetyReport(path: string, result: SafetyCheckResult): Promise<void> {
  await replaceFile(path, renderSafetyReport(result));
}

/** Renders the whole page; it needs no script except for its figures. */
export function renderSafetyReport(result: SafetyCheckResult): string {
  return renderPage({
    title: `Safety check: ${result.robot}`,
    kind: 'safety check',
    header: html`${verdict(result)}${resultCards(result)}`,
    sections: sectionsOf(result),
    footer: footer(result),
  });
}

function verdict(result: SafetyCheckResult): Html {
  const [mood, said, icon] = result.ok
    ? ['good', 'passed', 'M5 13l4.5 4.5L19 7']
    : ['bad', 'found something', 'M6 6l12 12M18 6L6 18'];
  return html`<div class="verdict ${mood}">
<svg class="icon" viewBox="0 0 24 24" role="img" aria-label="${said}"><path d="${icon}"/></svg>
<div><h1>${result.verdict}</h1>
<p>${subline(result)}</p></div>
</div>`;
}

function subline({ plant, trials, simulatedS, joints, controlHz, startedAt }: SafetyCheckResult): string {
  const where = plant === 'mujoco' ? 'in MuJoCo' : 'against joints that follow with a lag';
  return `${shortNumber(trials)} trials ${where}, ${durationText(simulatedS)} of robot time at ${shortNumber(controlHz)} Hz, ${joints} joints. ${startedAt.slice(0, 10)}.`;
}

function resultCards(result: SafetyCheckResult): Html {
  const { violations, energy, stops, ticks, margins } = result;
  const count = violations.reduce((sum, each) => sum + each.count, 0);
  const items: Card[] = [
    ['Adversarial ticks', shortNumber(ticks), `seed ${result.seed}`, 'plain'],
    ['Violations', shortNumber(count), boundNote(result), count === 0 ? 'good' : 'bad'],
  ];
  const nearest = margins.selfM ?? margins.fenceM;
  if (nearest !== null) {
    items.push([
      'Nearest to itself or a wall',
      millimetres(nearest),
      'of the reference',
      nearest >= 0 ? 'good' : 'bad',
    ]);
  }
  if (energy.hasTank) {
    const isPaid = energy.surplusMaxJ <= energy.toleranceJ;
    const surplus = isPaid ? 'none' : `${figureOf(energy.surplusMaxJ)} J`;
    items.push([
      'Energy surplus',
      surplus,
      `rounding allows ${figureOf(energy.toleranceJ)} J`,
      isPaid ? 'good' : 'bad',
    ]);
  }
  const slowest = stops.reduce((most, { time }) => Math.max(most, time.max), 0);
  const share = stops.reduce((most, { time }) => Math.max(most, time.shareOfBoundMax), 0);
  if (stops.length > 0) {
    const note = `at most ${percent(share, 0)} of the predicted bound`;
    items.push(['Slowest stop', `${Math.round(slowest * 1e3)} ms`, note, share <= 1 ? 'good' : 'bad']);
  }
  return cards(items);
}

function boundNote({ violations, ticks }: SafetyCheckResult): string {
  const bound = violations.reduce((most, { applies, upperBound95, ticks: of }) => {
    return applies && of === ticks ? Math.max(most, upperBound95) : most;
  }, 0);
  return `rate below ${printedBound(bound).toExponential(1)} per tick, 95 % sure`;
}

function sectionsOf(result: SafetyCheckResult): Html[] {
  return [
    section('What was counted', violationsTable(result), WITNESSES),
    section('The simulated arm', armTable(result), armLead(result)),
    section('How near it came', html`<div class="pair">${marginFigure(result)}${marginsTable(result)}</div>`),
    section('Energy', html`<div class="pair">${energyFigure(result)}${comparisonFigures(result)}</div>`),
    section('Stopping', stopFigures(result), STOPS),
    section('The attackers', attackersTable(result), ATTACKERS),
    section('The stages', stagesTable(result), STAGE_LEAD),
    section('Limits that were held', limitsTable(result)),
    section('What this does not show', list(result.notTested)),
    ...(result.assumed.length > 0 ? [section('Assumed', list(result.assumed), ASSUMED)] : []),
  ];
}

const WITNESSES =
  'Counted in every tick by witnesses that share no code with the chain: they read the commands to the joints, and the motion of the simulated robot. Upper bounds hold with 95 % confidence: 3/N for none in N, else Clopper and Pearson.';
const STAGE_LEAD =
  'In how many ticks each stage of the chain changed what was asked. A tank that slows a robot leaves the others little to do: --without tank loads them.';
const STOPS =
  'Commands end, or turn to NaN, at random moments in motion. The bound is what the limits promise: detection (the lease), one tick, and the longest v/A of any joint.';
const ATTACKERS =
  'A margin of 1 is the middle, 0 the limit. "Changed" is how often the chain had to change what was asked: an attacker that it never changes tests nothing.';
const ASSUMED = 'Values that no file gives, and that were estimated. Put them into the limits file to be sure.';

function armLead({ arm: { payloadMaxKg } }: SafetyCheckResult): string {
  const load =
    payloadMaxKg === null
      ? 'No payloadMaxKg is given, so it carried nothing but its own tool link, half to one and a half times as heavy.'
      : `In some trials it carried up to ${payloadMaxKg} kg without compensation.`;
  return `The chain holds the reference within the limits; the arm lags behind it and yields to loads. ${load}`;
}

function footer({ command, seed, versions, machine, sources, wallS }: SafetyCheckResult): Html {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return html`<p>The same check again:</p>
<pre>${command}</pre>
<p>Seed ${seed}. Files: ${sources.join(', ')}.</p>
<p>${names.join(', ')}. Node ${machine.node}, ${machine.cores} cores, ${machine.cpu}; took ${durationText(wallS)}.</p>
<p>Not a certified safety function. Nothing on this page was tried on hardware.</p>`;
}
