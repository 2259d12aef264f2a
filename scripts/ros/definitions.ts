/** Generates `src/ros/messages/definitions.ts`: types and codecs of all interfaces, from their ROS definitions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Field, type Interface, parseInterface } from './sources.ts';

/** `root`: the folder of the package. */
export function rosDefinitions(root: string): string {
  const standard = readFileSync(join(root, 'scripts', 'ros', 'standard-interfaces.txt'), 'utf8');
  const all = [
    ...standardInterfaces(standard),
    ...['msg', 'srv', 'action'].flatMap((kind) => ownInterfaces(root, kind)),
  ];
  const known = new Map<string, string>();
  return `${HEAD}\n${all.map((one) => textOf(one, known)).join('\n')}`;
}

const HEAD = `/**
 * Interfaces that Rein speaks. Written by \`npm run docs\` from \`msg/\`, \`srv/\`, \`action/\` and
 * \`scripts/ros/standard-interfaces.txt\`: change those, not this file.
 */
import { defineMessage } from './define-message.ts';
import type { ActionType, MessageType, ServiceType } from './message-type.ts';
`;

/** New names for interfaces that would shadow names of the language or the runtime. */
const RENAMED: Readonly<Record<string, string>> = { 'std_msgs/String': 'StringMessage', 'rein/Event': 'RobotEvent' };

interface Named extends Interface {
  /** `msg`, `srv` or `action`. */
  readonly kind: string;
  readonly package: string;
  readonly name: string;
}

function standardInterfaces(text: string): readonly Named[] {
  return text
    .split(/^(?=(?:MSG|SRV): )/m)
    .slice(1)
    .map((section) => {
      const [, kind = '', place = '', name = '', body = ''] = /^(\w+): (\w+)\/(\w+)\n(.*)$/s.exec(section) ?? [];
      return { kind: kind.toLowerCase(), package: place, name, ...parseInterface(body) };
    });
}

function ownInterfaces(root: string, kind: string): readonly Named[] {
  return readdirSync(join(root, kind))
    .sort()
    .map((file) => {
      const text = readFileSync(join(root, kind, file), 'utf8');
      return { kind, package: 'rein', name: file.replace(/\.\w+$/, ''), ...parseInterface(text) };
    });
}

/** `known`: TypeScript names of the messages before it, to which this message is added. */
function textOf(one: Named, known: Map<string, string>): string {
  const name = RENAMED[`${one.package}/${one.name}`] ?? one.name;
  const rosName = `${one.package}/${one.kind}/${one.name}`;
  const constants = one.parts.flat().filter(isConstant);
  const table = constants.length === 0 ? '' : constantsText(name, constants);
  if (one.kind !== 'msg') return `${comment(one.what, '')}${callText(one, name, rosName)}${table}`;
  const fields = (one.parts[0] ?? []).filter((field) => !isConstant(field));
  const typed = fields.map((field) => messageField(one.package, field, known));
  known.set(`${one.package}/${one.name}`, name);
  const codec = fields.map((field, i) => `  ${field.name}: ${typed[i]!.codec},\n`).join('');
  return (
    `${comment(one.what, '')}${interfaceText(
      name,
      fields,
      typed.map(({ type }) => type),
    )}` +
    `export const ${name}: MessageType<${name}> = defineMessage('${rosName}', ${codec === '' ? '{}' : `{\n${codec}}`});\n${table}`
  );
}

/** A service or an action. */
function callText({ kind, parts }: Named, name: string, rosName: string): string {
  const titles = kind === 'srv' ? ['Request', 'Answer'] : ['Goal', 'Result', 'Feedback'];
  const interfaces = parts.map((part, i) => {
    const fields = part.filter((field) => !isConstant(field));
    return interfaceText(`${name}${titles[i]}`, fields, fields.map(callField), 'readonly ');
  });
  const type =
    kind === 'srv'
      ? `ServiceType<${name}Request, ${name}Answer>`
      : `ActionType<${name}Goal, ${name}Feedback, ${name}Result>`;
  return `${interfaces.join('')}export const ${name}: ${type} = { name: '${rosName}' };\n`;
}

function interfaceText(name: string, fields: readonly Field[], types: readonly string[], prefix = ''): string {
  if (fields.length === 0) return `export type ${name} = Record<string, never>;\n`;
  const lines = fields.map((field, i) => {
    const isShared = field.comment === fields[i - 1]?.comment;
    return `${isShared ? '' : comment(field.comment, '  ')}  ${prefix}${field.name}: ${types[i]};\n`;
  });
  return `export interface ${name} {\n${lines.join('')}}\n`;
}

const TYPED_ARRAYS: Readonly<Record<string, string>> = {
  byte: 'Uint8Array',
  char: 'Uint8Array',
  int8: 'Int8Array',
  uint8: 'Uint8Array',
  int16: 'Int16Array',
  uint16: 'Uint16Array',
  int32: 'Int32Array',
  uint32: 'Uint32Array',
  int64: 'BigInt64Array',
  uint64: 'BigUint64Array',
  float32: 'Float32Array',
  float64: 'Float64Array',
};

/** Field of a topic's message: its type in TypeScript, and its description for `defineMessage`. */
function messageField(
  home: string,
  { type, name, default: initial }: Field,
  known: ReadonlyMap<string, string>,
): { readonly type: string; readonly codec: string } {
  const { element, array } = split(type);
  if (isPlain(element)) {
    const isMany = array !== '';
    const elements = TYPED_ARRAYS[element] ?? `${plain(element)}[]`;
    return {
      type: isMany ? elements : plain(element),
      codec: `'${type}${initial === undefined ? '' : `=${initial}`}'`,
    };
  }
  const nested = known.get(element.includes('/') ? element : `${home}/${element}`);
  if (nested === undefined) throw new Error(`${type} ${name}: ${element} is not defined before it`);
  if (array === '') return { type: nested, codec: nested };
  if (array !== '[]') throw new Error(`${type} ${name}: messages come in sequences without a bound only`);
  return { type: `${nested}[]`, codec: `[${nested}]` };
}

/** Type of a field of a service or an action, where arrays are plain. */
function callField({ type }: Field): string {
  const { element, array } = split(type);
  if (!isPlain(element)) throw new Error(`${type}: services and actions of plain fields only`);
  return array === '' ? plain(element) : `readonly ${plain(element)}[]`;
}

function split(type: string): { readonly element: string; readonly array: string } {
  const [, element = '', array = ''] = /^([\w/]+)(\[.*\])?$/.exec(type) ?? [];
  return { element, array };
}

function isPlain(element: string): boolean {
  return element === 'bool' || element === 'string' || element in TYPED_ARRAYS;
}

function plain(element: string): string {
  if (element === 'bool') return 'boolean';
  if (element === 'string') return 'string';
  return element.endsWith('int64') ? 'bigint' : 'number';
}

function isConstant({ name }: Field): boolean {
  return name.includes('=');
}

/** `DIAGNOSTIC_STATUS = { OK: 0, … }` */
function constantsText(name: string, constants: readonly Field[]): string {
  const table = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return `export const ${table} = { ${constants.map((one) => one.name.replace('=', ': ')).join(', ')} } as const;\n`;
}

function comment(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/** ${text} */\n`;
}
