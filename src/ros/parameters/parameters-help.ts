/** What `--help` of a node says of its parameters, from their declarations. */
import type { ParameterDeclaration } from '../port/ros-port.ts';

const WIDTH = 96;

/** An indented block for each parameter: name, type, default and range, then its description. */
export function parametersHelp(declarations: readonly ParameterDeclaration[]): string {
  return declarations.map(describe).join('');
}

function describe(parameter: ParameterDeclaration): string {
  const { name, type, description, range, choices } = parameter;
  const value = parameter.default === '' ? 'empty' : String(parameter.default);
  const limits = range === undefined ? '' : `, ${range.min} to ${range.max}`;
  const words = choices === undefined ? '' : ` One of: ${choices.filter((choice) => choice !== '').join(', ')}.`;
  const change = parameter.isReadOnly === false ? ' May be changed at run time.' : '';
  const lines = wrap(`${description}${words}${change}`);
  return `  ${name} (${type}, ${value}${limits})\n${lines.map((line) => `      ${line}\n`).join('')}`;
}

function wrap(text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (lines[last] === '') lines[last] = word;
    else if (lines[last]!.length + 1 + word.length <= WIDTH) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}
