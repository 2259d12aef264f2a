/**
 * Configuration as ROS parameters: one for each number, word and list of numbers in the schema that also checks the
 * YAML files, named by its path (`settings.task.maxSteps`, `settings.robot.joints.elbow.velocityMaxRadPerS`). They may
 * be given at the start, except those of single joints, and are fixed then: a limit is never changed while a robot
 * moves. The prefix keeps them apart from the parameters `task`, `robot` and `learner`: `ros2 param dump` and nested
 * YAML cannot hold a name that is the beginning of another.
 */
import { editorSchemas, type Override, type ResolvedConfig } from '../../config/index.ts';
import { ReinError } from '../../model/index.ts';
import type { GivenValue } from '../parameters/scalars.ts';
import type { ParameterDeclaration, ParameterType, ParameterValue } from '../port/ros-port.ts';

const PARTS = ['task', 'robot', 'learner'] as const;
type Part = (typeof PARTS)[number];
const PREFIX = 'settings.';

/** Part of JSON Schema that the editors' files use. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** True for a parameter that is part of the configuration. */
export function isConfigParameter(name: string): boolean {
  return PARTS.some((part) => name.startsWith(`${PREFIX}${part}.`));
}

/** Configuration overrides from given parameters. Throws `ReinError('config')` for single joints. */
export function overridesOf(given: ReadonlyMap<string, GivenValue>): readonly Override[] {
  return [...given]
    .filter(([name]) => isConfigParameter(name))
    .map(([name, { value, from }]) => {
      const [part, ...keys] = name.slice(PREFIX.length).split('.');
      if (part === 'robot' && keys[0] === 'joints') {
        throw new ReinError('config', `${from}${name}: what one joint can do is said by the robot's file alone`, {
          remedy: 'copy the file, change it there, and name it with the parameter robot',
        });
      }
      return { option: `${from}${name}`, path: [part as Part, ...keys], value };
    });
}

/** Declarations with the values of `config`. */
export function configParameters(config: ResolvedConfig): readonly ParameterDeclaration[] {
  return PARTS.flatMap((part) => declarationsBelow(config[part], schemaOf(part), `${PREFIX}${part}`));
}

function schemaOf(part: Part): Schema {
  const file = editorSchemas().find((schema) => schema.file === `${part}.schema.json`);
  return file === undefined ? {} : (JSON.parse(file.text) as Schema);
}

function declarationsBelow(values: object, schema: Schema, prefix: string): ParameterDeclaration[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
    const name = `${prefix}.${key}`;
    const field = fieldOf(schema, key);
    const type = typeOf(value, field);
    if (type !== undefined) return [declaration(name, type, value as ParameterValue, field)];
    if (isNamedList(value)) {
      return value.flatMap((item) => declarationsBelow(item, field.items ?? {}, `${name}.${item.name}`));
    }
    return isGroup(value) ? declarationsBelow(value, field, name) : [];
  });
}

/** True for a list of named items, such as joints: each is found by its name. */
function isNamedList(value: unknown): value is readonly { readonly name: string }[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isGroup(item) && 'name' in item);
}

/** Schema of `key`, in whichever variant has it. */
function fieldOf(schema: Schema, key: string): Schema {
  const own = schema.properties?.[key];
  if (own !== undefined) return own;
  for (const variant of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    const found = variant.properties?.[key];
    if (found !== undefined) return found;
  }
  return {};
}

function typeOf(value: unknown, { type }: Schema): ParameterType | undefined {
  if (typeof value === 'number') return type === 'integer' ? 'integer' : 'double';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  const isNumbers = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
  return isNumbers ? 'double_array' : undefined;
}

function declaration(name: string, type: ParameterType, value: ParameterValue, field: Schema): ParameterDeclaration {
  const { description = '', unit, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = field;
  const isNumber = type === 'integer' || type === 'double';
  const min = minimum ?? exclusiveMinimum ?? Number.NEGATIVE_INFINITY;
  const max = maximum ?? exclusiveMaximum ?? Number.POSITIVE_INFINITY;
  const hasRange = isNumber && (Number.isFinite(min) || Number.isFinite(max));
  const choices = field.enum?.filter((choice) => typeof choice === 'string') ?? [];
  return {
    name,
    type,
    default: value,
    isReadOnly: true,
    description: unit === undefined || unit === '1' ? description : `${description} Unit: ${unit}.`,
    ...(hasRange ? { range: { min, max } } : {}),
    ...(type === 'string' && choices.length > 0 ? { choices } : {}),
  };
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
