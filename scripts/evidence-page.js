/** The evidence as a part of docs/safety-check.md. Missing, failed or shortened parts are reported in place of their figures. */

import { markdownTable } from '../src/model/text.ts';
import { ageSentence } from './page-age.js';

const number = (value, digits = 2) =>
  typeof value === 'number' && Number.isFinite(value)
    ? value.toLocaleString('en', { maximumFractionDigits: digits })
    : '–';
const rate = (value) => (typeof value === 'number' ? value.toExponential(1) : '–');
const NOT_TRIED = 'Simulated; not tried on hardware.';

/** The page above this mark is written by hand. */
export const MARK = '<!-- What follows is written by npm run evidence. -->\n';

/** Returns `page` with `evidence`, in the form of evidence.json, in place of everything below the mark. */
export function withEvidence(page, evidence) {
  const [byHand] = page.split(MARK);
  return `${byHand}${MARK}\n${evidencePage(evidence)}`;
}

function evidencePage(evidence) {
  const { versions } = evidence;
  const parts = Object.fromEntries(Object.entries(evidence.parts).map(([name, part]) => [name, { name, ...part }]));
  return `## What was tried

On the safety chain, and what came out. Made by \`npm run evidence\`, last on ${evidence.createdAt.slice(0, 10)}; the same in numbers:
[evidence.json](evidence.json). What is promised, and why it holds, is the [safety case](safety-case.md).
**Nothing of it was tried on hardware**, and none of it makes this a certified safety function.

${originOf(parts)}Packages where this page was written: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}. Those of a part are in \`package-lock.json\` of its commit.

${section('Violations', parts.million, millionTables)}
${section('Robots of others', parts.foreign, foreignTables)}
${section('Energy', parts.million, energyTables)}
${section('Stopping: time and distance', parts.million, stopTables)}
${section('Killed, frozen, flooded, lied to', parts.trials, trialTables)}
${section('A flood without end', parts.flood, floodTable)}
${faultSection(evidence)}
${section('Passivity in closed loop', parts.passivity, testTable)}
${section('Solver', parts.qp, solverTable)}
${section('Cost of a tick', parts.benchSafety, benchTables)}
${section('Lateness of the tick', parts.benchTick, latenessTable)}
${section('Branch coverage of src/safety', parts.coverage, coverageTable)}
${section('Mutants of src/safety', parts.mutants, mutantTable)}
`;
}

/** Age of the oldest part, and commit and machine of each. */
function originOf(parts) {
  const made = Object.values(parts).filter(({ missing }) => missing === undefined);
  if (made.length === 0) return '';
  const [oldest] = made.toSorted((a, b) => a.madeAt.localeCompare(b.madeAt));
  const age = ageSentence(isKnown(oldest) ? oldest.commit : oldest.madeAt.slice(0, 10), 'oldestPart');
  const rows = made.map((part) => [part.name, commitOf(part), minuteOf(part), machineOf(part)]);
  return `${age}\n\n${markdownTable(['part', 'commit', 'made, UTC', 'machine'], rows)}\n`;
}

function isKnown({ commit, isInHistory }) {
  return Boolean(commit) && isInHistory !== false;
}

function commitOf(part) {
  if (!part.commit) return '**not committed**';
  return `${part.commit.slice(0, 12)}${isKnown(part) ? '' : ', **which is not in the history of this page**'}`;
}

function minuteOf({ madeAt }) {
  return madeAt.slice(0, 16).replace('T', ' ');
}

/** Trials and benches report their machine themselves, in short form. */
function machineOf({ machine, result }) {
  const { cores, cpu, memoryGiB, kernel, node } = machine ?? result?.machine ?? {};
  if (cpu === undefined) return 'not known';
  const rest = [memoryGiB && `${number(memoryGiB, 0)} GiB`, kernel && `Linux ${kernel}`, `Node ${node}`];
  return [`${cores} × ${cpu}`, ...rest.filter(Boolean)].join(', ');
}

/** The evidence without data that would make its file large: samples, traces, single tests. */
export function reduced(evidence) {
  const tooLong = new Set(['samplesMs', 'trace', 'worst', 'histogram', 'assertionResults', 'limits']);
  return JSON.parse(
    JSON.stringify(evidence, (key, value) => {
      if (tooLong.has(key) && typeof value === 'object') return undefined;
      return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
    }),
  );
}

function section(title, part, tables) {
  const head = `### ${title}\n\n`;
  if (part.missing !== undefined) return `${head}**Missing**: ${part.missing} (\`${part.command}\`).\n`;
  const short = part.isQuick ? ' **A short run: see the counts.**' : '';
  const failed =
    part.exitCode === 0 ? '' : ` **The run ended with code ${part.exitCode}: not all of it is as promised.**`;
  const made = `Part \`${part.name}\`: \`${part.command}\`, ${minuteOf(part)} UTC, ${number(part.seconds, 0)} s.${short}${failed}`;
  let body;
  try {
    body = tables(part.result, part);
  } catch (error) {
    body = `**Missing**: the result has another shape than this page knows (${error.message}).\n`;
  }
  return `${head}${made} ${NOT_TRIED}\n\n${body}`;
}

function millionTables(result) {
  const robots = result.robots.map((robot) => [
    robot.robot,
    robot.joints,
    number(robot.ticks),
    number(robot.trials),
    robot.seed,
    robot.violations.reduce((sum, { count }) => sum + count, 0),
    robot.verdict,
  ]);
  const kinds = result.robots.flatMap((robot) =>
    robot.violations
      .filter(({ applies }) => applies)
      .map((one) => [robot.robot, one.kind, one.count, number(one.ticks), rate(one.upperBound95)]),
  );
  const ablations = result.ablations.map((one) => [
    one.robot,
    one.chain === 'off' ? 'the whole chain' : one.without.join(', '),
    number(one.ticks),
    Object.entries(one.counts)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${kind} ${number(count)}`)
      .join(', ') || 'nothing',
  ]);
  const stageNames = result.robots[0]?.stages?.map(({ stage }) => stage) ?? [];
  const whole = [...result.robots, ...(result.withoutTank ?? [])].filter(({ stages }) => stages !== undefined);
  const acted = whole.map((robot) => [
    robot.robot,
    robot.without.length === 0 ? 'whole' : `without ${robot.without.join(', ')}`,
    number(robot.ticks),
    robot.violations.reduce((sum, { kind, count }) => sum + (kind === 'energy' ? 0 : count), 0),
    ...robot.stages.map(({ share }) => number(100 * share, 1)),
  ]);
  const nearest = [...result.robots, ...(result.withoutTank ?? [])]
    .filter(({ margins }) => typeof margins?.shapesM === 'number')
    .map(({ robot, without, margins }) => [
      robot,
      without.length === 0 ? 'whole' : `without ${without.join(', ')}`,
      ...[margins.selfM, margins.keepOutM, margins.shapesM, margins.plantM].map((m) => number(1e3 * (m ?? NaN), 1)),
    ]);
  const arms = [...result.robots, ...(result.withoutTank ?? [])].flatMap((robot) =>
    (robot.arm?.excursions ?? []).map((one) => [
      robot.robot,
      robot.without.length === 0 ? 'whole' : `without ${robot.without.join(', ')}`,
      one.kind,
      number(one.count),
      number(one.ticks),
      number(one.worst, 4),
      one.unit,
      robot.arm.margins.find(({ key }) => key === MARGIN_OF[one.kind])?.message ?? '–',
    ]),
  );
  return `${result.verdict ?? `${number(result.violations)} violations in ${number(result.ticks)} adversarial ticks.`}
95 % upper bound of the rate of violations, with the tank: ${rate(result.upperBound95)}.

${markdownTable(['robot', 'joints', 'ticks', 'trials', 'seed', 'violations', 'verdict'], robots)}
${markdownTable(['robot', 'kind', 'violations', 'ticks', '95 % upper bound'], kinds)}
The same attacks without the energy tank, which slows a robot so much that the other stages have little to do. In how many ticks
of a hundred each stage changed what was asked; violations but for energy, of which nothing is promised without the tank:

${markdownTable(['robot', 'chain', 'ticks', 'violations', ...stageNames.map((name) => `${name}, %`)], acted)}
The simulated arm itself, which lags behind its reference, and the margin that covers how far it strayed:

${markdownTable(['robot', 'chain', 'what', 'ticks beyond', 'of', 'worst', 'unit', 'margin to set'], arms)}
How near links came to each other and to keep-out boxes, mm; below 0 they overlap. The reference by the file's capsules and, in the
same poses, by MuJoCo's own shapes; the simulated arm by MuJoCo:

${markdownTable(['robot', 'chain', 'reference: link to link', 'link to keep-out', 'by MuJoCo', 'simulated arm by MuJoCo'], nearest)}
The same attacks with something left out of the chain:

${markdownTable(['robot', 'left out', 'ticks', 'violations'], ablations)}`;
}

/** Margin that covers each kind of excursion of the arm. */
const MARGIN_OF = {
  armPosition: 'limitMarginRad',
  armSpeed: 'velocityMaxRadPerS',
  armWorkspace: 'workspace',
  armContact: 'clearanceM',
};

/** Third-party robots: source, outcome, and command to repeat it. */
function foreignTables({ foreign }) {
  const rows = foreign.map(({ name, source, commit, limitsSource, limitsCommit, result, missing, command }) => [
    name,
    `[${commit.slice(0, 12)}](${source})`,
    limitsSource ? `[${limitsCommit.slice(0, 12)}](${limitsSource})` : '–',
    result?.joints ?? '–',
    number(result?.ticks),
    result?.verdict ?? `**not run**: ${missing}`,
    `\`${command}\``,
  ]);
  const tried = foreign.filter(({ result }) => result !== undefined);
  const stages = tried[0]?.result.stages.map(({ stage }) => stage) ?? [];
  const acted = tried.map(({ name, result }) => [name, ...result.stages.map(({ share }) => number(100 * share, 1))]);
  return `As their makers ship them: their files are not in this repository. With copies of the sources below one folder,
\`npm run safety:million -- --models FOLDER\` repeats all of them, and the command of a row, from that folder, that one.

${markdownTable(['robot', 'model', 'limits', 'joints', 'ticks', 'verdict', 'command'], rows)}
Ticks of a hundred in which each stage changed what was asked:

${markdownTable(['robot', ...stages.map((name) => `${name}, %`)], acted)}`;
}

function energyTables(result) {
  const ledger = result.robots.map(({ robot, energy }) => [
    robot,
    energy.hasTank ? 'yes' : 'no',
    rate(energy.surplusMaxJ),
    rate(energy.toleranceJ),
    number(energy.tankMinJ),
    number(energy.tankFloorJ),
    number(energy.injectedJ),
    number(energy.creditedJ),
    number(energy.peakKineticJ),
  ]);
  const compared = result.robots.flatMap(({ robot, energy }) =>
    (energy.comparison ?? []).map((one) => [
      robot,
      one.attack,
      number(one.ticks),
      number(one.peakKineticWithJ),
      number(one.peakKineticWithoutJ),
      number(one.peakForceWithN, 0),
      number(one.peakForceWithoutN, 0),
    ]),
  );
  const heads = ['robot', 'tank', 'largest surplus, J', 'tolerance, J', 'tank least, J', 'floor, J', 'injected, J'];
  return `${markdownTable([...heads, 'credited, J', 'peak kinetic, J'], ledger)}
With the tank and without, under a policy that pumps in phase and one that pushes into a wall:

${markdownTable(['robot', 'attack', 'ticks', 'kinetic with, J', 'without, J', 'force with, N', 'without, N'], compared)}`;
}

function stopTables(result) {
  const rows = result.robots.flatMap(({ robot, stops }) =>
    stops.flatMap((stop) =>
      ['reaction', 'time', 'distance', 'plantTime']
        .filter((name) => stop[name] !== null)
        .map((name) => {
          const { unit, median, p95, max, bound, shareOfBoundMax } = stop[name];
          const promised = name === 'plantTime' ? '–' : `${number(bound, 3)}`;
          const figures = [median, p95, max].map((value) => number(value, 3));
          return [
            robot,
            stop.cause,
            number(stop.stops),
            `${name}, ${unit}`,
            ...figures,
            promised,
            number(shareOfBoundMax),
          ];
        }),
    ),
  );
  return markdownTable(
    ['robot', 'cause', 'stops', 'what', 'median', '95 %', 'worst', 'bound', 'largest share of its own bound'],
    rows,
  );
}

function trialTables(result) {
  const rows = result.results.flatMap((one) =>
    one.measures.map((measure) => [
      one.name,
      one.rows.join(', '),
      one.trials,
      one.setAside.length,
      measure.name,
      number(measure.medianMs, 1),
      number(measure.p95Ms, 1),
      number(measure.worstMs, 1),
      number(measure.boundMs, 1),
      measure.failures,
    ]),
  );
  const failed = result.results.flatMap((one) => one.failed.map((sentence) => `- ${one.name}: ${sentence}`));
  return `${result.robot.name}: period ${number(result.robot.periodMs)} ms, lease ${number(result.robot.leaseMs)} ms, brake ${number(result.robot.brakeMs, 0)} ms; worst reaction by the bound ${number(result.robot.reactionBoundMs, 0)} ms. Times in ms.

${markdownTable(['trial', 'rows', 'trials', 'set aside', 'what', 'median', '95 %', 'worst', 'bound', 'above it'], rows)}${failed.length > 0 ? `\n${failed.join('\n')}\n` : ''}`;
}

/** A client that sends as much as it can, and reconnects when it is cut off. */
function floodTable(result, { lines }) {
  const rows = lines
    .filter(({ name }) => name === 'flood')
    .map(({ seconds, promisedS, cuts, growthBytes, keptBytes }) => [
      number(seconds),
      number(promisedS),
      number(cuts),
      `${number(growthBytes / 2 ** 20, 1)} MiB`,
      keptBytes === undefined ? '–' : `${number(keptBytes / 2 ** 10, 0)} KiB`,
    ]);
  const heads = [
    'flooded, s',
    'promised for, s',
    'cut off',
    'memory grew by, at most',
    'left of it once garbage is collected',
  ];
  return rows.length === 0 ? testTable(result) : `${testTable(result)}\n${markdownTable(heads, rows)}`;
}

function faultSection({ faultRows, failedFaultTests, parts }) {
  const ran =
    parts.faults.missing === undefined ? testTable(parts.faults.result) : `**Missing**: ${parts.faults.missing}.\n`;
  const failed = (failedFaultTests ?? []).map((title) => `- **failed**: ${title}\n`).join('');
  return `### Faults

Each of the ${faultRows.all} rows of the [fault table](faults.md) has tests that assert its numbers. ${NOT_TRIED}

${ran}${failed}`;
}

function testTable(result) {
  const { numPassedTests, numFailedTests, numPendingTests } = result;
  return `${numPassedTests} tests passed, ${numFailedTests} failed, ${numPendingTests} skipped.\n`;
}

function solverTable(result, { lines }) {
  const rows = lines.map((line) => [
    line.name,
    number(line.solved),
    line.mostRounds,
    rate(line.gap),
    number(line.loosened),
    rate(line.gapLoosened),
    rate(line.residual),
  ]);
  const heads = ['programs', 'solved', 'most rounds', 'gap', 'moved apart', 'gap of those', 'residual'];
  return `${testTable(result)}
Against the quadprog package: largest difference of the minimum (relative above 1) and largest broken constraint. Where that package
gives up because many constraints meet in a point, they are moved apart by up to 1e-13.

${rows.length > 0 ? markdownTable(heads, rows) : 'The figures of each kind are printed by longer runs only.\n'}`;
}

function benchTables(result) {
  const rows = result.cases.map((one) => [
    one.robot,
    one.joints,
    one.constraintRows,
    one.hasTank ? 'on' : 'none',
    one.load,
    number(one.ticks),
    ...[one.p50Us, one.p99Us, one.p999Us, one.maxUs].map((us) => number(us, 1)),
    one.bytesPerTick <= one.noiseBytesPerTick ? '0' : number(one.bytesPerTick),
  ]);
  const stages = Object.keys(result.cases[0].activeRatio);
  const shares = result.cases.map((one) => [
    one.robot,
    one.load,
    ...stages.map((stage) => `${number(100 * one.activeRatio[stage], 1)} %`),
  ]);
  const heads = [
    'robot',
    'joints',
    'rows',
    'tank',
    'commands',
    'ticks',
    'p50 µs',
    'p99',
    'p99.9',
    'max',
    'bytes a tick',
  ];
  return `Load before: ${number(result.machine.loadBefore, 1)} processes. Promised: p99 ≤ 300 µs with 32 constraint rows, 0 bytes.

${markdownTable(heads, rows)}
Share of the ticks in which each stage changed the command:

${markdownTable(['robot', 'commands', ...stages], shares)}${result.failures.map((failure) => `\n- **${failure}**`).join('')}\n`;
}

function latenessTable(result) {
  const rows = result.phases.map(({ load, priority, lateness: l }) => [
    load,
    priority,
    number(l.ticks),
    ...[l.p50Us, l.p99Us, l.p999Us, l.maxUs, l.workP99Us].map((us) => number(us, 0)),
    l.overruns,
  ]);
  return `${result.rateHz} ticks a second, ${number(result.secondsPerPhase)} s each; µs.

${markdownTable(['beside', 'priority', 'ticks', 'late p50', 'p99', 'p99.9', 'max', 'work p99', 'overruns'], rows)}`;
}

function coverageTable(result) {
  const { total, ...files } = result;
  const open = Object.entries(files)
    .filter(([, { branches }]) => branches.pct < 100)
    .map(([path, { branches }]) => [
      path.slice(path.indexOf('src/safety')),
      `${branches.covered} of ${branches.total}`,
    ]);
  const head = `${total.branches.covered} of ${total.branches.total} branches (${number(total.branches.pct)} %), counted by unit and property tests.\n`;
  return open.length === 0 ? head : `${head}\n${markdownTable(['not all of', 'branches'], open)}`;
}

/** Surviving mutants; all mutants are in `tests/mutants/mutants.json`. */
function mutantTable(result) {
  const head = `${result.killed} of ${result.total} killed (${number((100 * result.killed) / result.total, 1)} %; promised: 95 %), ${number(result.minutes, 1)} min.\n`;
  const rows = result.rows
    .filter(({ outcome }) => outcome !== 'killed')
    .map(({ id, file, breaks, outcome }) => [outcome, id, file, breaks]);
  return rows.length === 0
    ? head
    : `${head}\n${markdownTable(['outcome', 'mutant', 'file', 'what would go wrong'], rows)}`;
}
