/** Parameter values, by the rules of ROS 2, which differ from YAML 1.2. */
import type { RawYaml } from '../../config/index.ts';
import { ReinError } from '../../model/index.ts';
import type { ParameterType, ParameterValue } from '../port/ros-port.ts';

/** Value as given; an empty list fits every list type. */
export interface GivenValue {
  readonly type: ParameterType | 'empty_array';
  readonly value: ParameterValue;
  /** Origin, as a prefix of the parameter's name: `-p `, or `FILE:LINE: `. */
  readonly from: string;
}

const TRUE = /^([Yy]|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^([Nn]|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
/** As accepted by `strtoll` with base 0: decimal, 0x…, and octal after a 0. */
const WHOLE = /^([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/;
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
const NOT_FINITE = /^([+-]?)\.?(inf|Inf|INF|infinity|nan|NaN|NAN)$/;

type Scalar = { readonly type: 'bool' | 'integer' | 'double' | 'string'; readonly value: boolean | number | string };

/** Parses one plain or quoted word. Throws `ReinError('config')` for an integer that JavaScript cannot represent exactly. */
function scalarOf(text: string, isQuoted: boolean, where: string): Scalar {
  if (isQuoted) return { type: 'string', value: text };
  if (TRUE.test(text)) return { type: 'bool', value: true };
  if (FALSE.test(text)) return { type: 'bool', value: false };
  const whole = WHOLE.exec(text);
  if (whole !== null) return { type: 'integer', value: wholeNumber(whole[1] ?? '', whole[2] ?? '', where) };
  const endless = NOT_FINITE.exec(text);
  if (endless !== null) {
    const isNan = (endless[2] ?? '').toLowerCase() === 'nan';
    return { type: 'double', value: isNan ? Number.NaN : endless[1] === '-' ? -Infinity : Infinity };
  }
  if (NUMBER.test(text) && Number.isFinite(Number(text))) return { type: 'double', value: Number(text) };
  return { type: 'string', value: text };
}

function wholeNumber(sign: string, digits: string, where: string): number {
  const isOctal = /^0[0-7]+$/.test(digits);
  const value = Number(isOctal ? `0o${digits.slice(1)}` : digits);
  if (!Number.isSafeInteger(value)) {
    throw new ReinError('config', `${where}: ${sign}${digits} is too large for a whole number`);
  }
  return sign === '-' ? 0 - value : value;
}

/** Parses a scalar or a list of scalars of one type. Throws `ReinError('config')` for anything else. */
export function givenValue(node: RawYaml, from: string, name: string): GivenValue {
  const where = `${from}${name}`;
  if (node.kind === 'map') throw new ReinError('config', `${where}: a parameter is a value or a list, not a group`);
  if (node.kind === 'scalar') {
    if (node.text === '' && !node.isQuoted) throw new ReinError('config', `${where}: there is no value`);
    return { ...scalarOf(node.text, node.isQuoted, where), from };
  }
  const items = node.items.map((item) => {
    if (item.kind !== 'scalar')
      throw new ReinError('config', `${where}: a list of a parameter holds plain values only`);
    return scalarOf(item.text, item.isQuoted, where);
  });
  const first = items[0];
  if (first === undefined) return { type: 'empty_array', value: [], from };
  const other = items.find((item) => item.type !== first.type);
  if (other !== undefined) {
    throw new ReinError(
      'config',
      `${where}: a list holds values of one kind, this one holds ${first.type} and ${other.type}`,
      first.type === 'string' || other.type === 'string' || first.type === 'bool' || other.type === 'bool'
        ? {}
        : { remedy: 'write whole numbers among others with a point: 1.0' },
    );
  }
  return { type: `${first.type}_array`, value: items.map((item) => item.value) as unknown as ParameterValue, from };
}
