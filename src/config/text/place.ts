/** Positions in files, and the problems found there. */
import { ReinError } from '../../model/index.ts';
import { clean } from './shown.ts';

/** A position for an error message; line and column count from 1, and are 0 if there is no text (a command-line option). */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One problem. `message` is a sentence without its full stop. */
export interface Problem {
  readonly place: Place;
  readonly message: string;
}

/** `file:line:column: message`. */
export function formatProblem(problem: Problem): string {
  return clean(`${placeText(problem.place)}: ${problem.message}`);
}

/** `file:line:column`, or the option. */
export function placeText({ file, line, column }: Place): string {
  return line > 0 ? `${file}:${line}:${column}` : file;
}

/** Largest number of problems listed. */
const SHOWN = 20;

const EVERY_KEY = 'docs/config.md lists every key with its unit and range';

/** Combines `problems` (not empty) into one error: one line each, in the order of the text. */
export function problemsError(problems: readonly Problem[], remedy: string = EVERY_KEY): ReinError {
  const sorted = [...problems].sort(byPlace);
  // The YAML reader may report one position twice.
  const all = [...new Set(sorted.map(formatProblem))];
  const lines = all.slice(0, SHOWN);
  if (all.length > SHOWN) lines.push(`and ${all.length - SHOWN} more`);
  return new ReinError('config', lines.join('\n'), { remedy });
}

function byPlace(a: Problem, b: Problem): number {
  if (a.place.file !== b.place.file) return a.place.file < b.place.file ? -1 : 1;
  return a.place.line - b.place.line || a.place.column - b.place.column;
}
