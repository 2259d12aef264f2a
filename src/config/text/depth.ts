/**
 * Refuses text that nests deep, before it is parsed. The parser recurses, and V8 ends the whole process when it compiles
 * a regular expression at the end of the stack: nothing to catch. Each level of nesting takes a bracket, an indicator
 * (`- `, `? `, `: `), or a column of indentation; so these are counted.
 */
import { problemsError } from './place.ts';

const MAX_BRACKETS = 500;
const MAX_INDICATORS_A_LINE = 100;
const MAX_INDENTATION = 200;

/** Throws `ReinError` with the position where `text` goes beyond what a configuration needs. */
export function refuseDeepText(text: string, file: string): void {
  const refuse = (line: number, column: number, message: string): never => {
    throw problemsError([{ place: { file, line, column }, message }]);
  };
  let brackets = 0;
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const indentation = line.length - line.trimStart().length;
    if (indentation > MAX_INDENTATION)
      refuse(index + 1, MAX_INDENTATION + 1, `the line is indented by more than ${MAX_INDENTATION} columns`);
    let indicators = 0;
    for (let i = indentation; i < line.length; i++) {
      const letter = line[i]!;
      if ((letter === '[' || letter === '{') && ++brackets > MAX_BRACKETS)
        refuse(index + 1, i + 1, `these are more than ${MAX_BRACKETS} brackets`);
      const isIndicator = (letter === '-' || letter === '?' || letter === ':') && !/\S/.test(line[i + 1] ?? ' ');
      if (isIndicator && ++indicators > MAX_INDICATORS_A_LINE)
        refuse(index + 1, i + 1, 'the line holds too many values');
    }
  }
}
