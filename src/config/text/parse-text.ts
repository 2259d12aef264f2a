/**
 * Parses text as YAML, and refuses deeply nested text before parsing: the parser recurses, and V8 aborts the whole process, uncatchably,
 * when it compiles a regular expression at the end of the stack. Each nesting level takes a bracket, an indicator (`- `, `? `, `: `), or a
 * column of indentation, so these are counted.
 */
import { type Document, LineCounter, type ParseOptions, parseDocument, type SchemaOptions } from 'yaml';
import { ReinError } from '../../model/index.ts';
import { type Place, problemsError } from './place.ts';

const MAX_BRACKETS = 500;
const MAX_INDICATORS_A_LINE = 100;
const MAX_INDENTATION = 200;

/** A parsed text, including its errors. */
export interface ParsedText {
  readonly document: Document.Parsed;
  /** Position of the character at `offset`. */
  placeAt(offset: number): Place;
}

/** Parses `text` with `options`; errors name `file`. Throws `ReinError` if the parser fails. */
export function parseText(text: string, file: string, options: ParseOptions & SchemaOptions): ParsedText {
  refuseDeepText(text, file);
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    const quiet = { lineCounter: lines, prettyErrors: false, logLevel: 'silent' } as const;
    return { document: parseDocument(text, { ...quiet, ...options }), placeAt };
  } catch (cause) {
    throw new ReinError('config', `${file}: this is not YAML that can be read`, { cause });
  }
}

/** Throws `ReinError` with the position at which `text` is nested deeper than a configuration can need. */
function refuseDeepText(text: string, file: string): void {
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
