/** Formats the result of stop trials as readable lines. */
import type { StopMeasureName, StopTrialResult, StopTrialsResult } from './result.ts';

const MEASURES: Readonly<Record<StopMeasureName, string>> = {
  brakeBegins: 'braking begins',
  brakeAfterLast: 'after last command',
  standstill: 'standstill',
  firstStopFrame: 'first stop frame',
  lastStopFrame: 'third stop frame',
};

export function formatStopTrials(result: StopTrialsResult): string {
  const { machine, robot, results } = result;
  const how = machine.isRaised ? 'real-time priority' : 'normal priority';
  const lines = [
    `Stops of ${robot.name} from full speed, times in ms. Lease ${ms(robot.leaseMs)}, period ${ms(robot.periodMs)}, brake v/A ${ms(robot.brakeMs)}: stands within ${ms(robot.reactionBoundMs)}.`,
    `${machine.cores} × ${machine.cpu}, Node ${machine.node}, ${how}; ${ms(result.durationS)} s`,
    '',
    row(['fault', 'from the fault to', 'trials', 'median', 'p95', 'worst', 'bound', 'failures', 'set aside']),
    ...results.flatMap(rowsOf),
  ];
  for (const { name, failed, setAside } of results) {
    for (const message of failed) lines.push(`${name}: ${message}`);
    for (const { heldUpMs, why } of setAside) {
      lines.push(
        `${name}: set aside and made again, because the machine held the listener up for ${ms(heldUpMs)} ms: ${why}`,
      );
    }
  }
  lines.push('', result.passed ? 'All within their bounds.' : 'NOT within the bounds: see above.');
  return lines.join('\n');
}

function rowsOf({ name, measures, trials, setAside }: StopTrialResult): string[] {
  return measures.map((m, i) => {
    const figures = [m.medianMs, m.p95Ms, m.worstMs, m.boundMs].map(ms);
    const counts = [String(m.failures), i === 0 ? String(setAside.length) : ''];
    return row([i === 0 ? name : '', MEASURES[m.name], i === 0 ? String(trials) : '', ...figures, ...counts]);
  });
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i < 2 ? cell.padEnd(18) : cell.padStart(9)))
    .join(' ')
    .trimEnd();
}

function ms(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}
