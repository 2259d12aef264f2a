/**
 * Action metadata in a policy's file: the duration of a step and the meaning of 1. Rein writes both into the files it makes;
 * files without this metadata are not checked.
 */
import { type ActionSpec, asObject, parseJson, parseObject, rangesOf, significant } from '../../model/index.ts';
import { metadataOf } from './head.ts';

/** The task's interpretation of an action. */
export interface TaskAction {
  readonly action: ActionSpec;
  /** Policy steps per second. Each action of a chunk covers one step. */
  readonly policyHz: number;
}

/** Action metadata of a policy file, as `actionDifference` reads it: the text of the metadata's `action`. */
export function statedAction({ action, policyHz }: TaskAction): string {
  return JSON.stringify({ ...action, periodS: 1 / policyHz });
}

/** A mismatch between file and task, as a clause that follows the file's name, and its remedy. */
export interface ActionDifference {
  readonly clause: string;
  readonly remedy: string;
}

/** Relative to the larger of both numbers. */
const TOLERANCE = 1e-6;

/** Returns the first mismatch of the action metadata of `model` with `task`; `undefined` if it has none or agrees. */
export function actionDifference(model: Uint8Array, task: TaskAction): ActionDifference | undefined {
  const metadata = metadataOf(model);
  // Third-party files may use `action` in their metadata for something else.
  const stated = parseObject(metadata.get('action') ?? '') ?? {};
  return (
    rateDifference(stated['periodS'], task.policyHz) ?? mapDifference(stated, metadata.get('command'), task.action)
  );
}

function rateDifference(periodS: unknown, policyHz: number): ActionDifference | undefined {
  if (typeof periodS !== 'number' || !(periodS > 0) || isSame(1 / periodS, policyHz)) return undefined;
  const hz = short(1 / periodS);
  return {
    clause: `was made for ${hz} steps a second (its metadata says a periodS of ${short(periodS)}), where the task's policyHz is ${short(policyHz)}`,
    remedy: `Set the task's policyHz to ${hz}, or take a policy that was made for ${short(policyHz)} Hz.`,
  };
}

function mapDifference(
  stated: Readonly<Record<string, unknown>>,
  command: string | undefined,
  action: ActionSpec,
): ActionDifference | undefined {
  const { kind, dimensions } = stated;
  const isOfRobot = kind === 'cartesian' || kind === 'joint';
  if (isOfRobot && kind !== action.kind) return different(`gives ${kind} actions`, `the task's are ${action.kind}`);
  const numbers = rowsOf(isOfRobot ? dimensions : parseJson(command ?? ''));
  const ranges = rangesOf(action);
  // A different size is reported when the model is tried.
  if (numbers.length !== ranges.length) return undefined;
  for (const [i, { name, unit, high }] of ranges.entries()) {
    const said = numbers[i]!;
    const own = `the task's is ${name} of up to ${short(high)} ${unit}`;
    // Names that a simulated environment gives its numbers are for display only.
    const isNamed = !isOfRobot || said.name === name;
    if (said.unit === 'normalised' || (isNamed && said.unit === unit && isEven(said) && isSame(said.high, high)))
      continue;
    const span = isEven(said) ? `up to ${short(said.high)}` : `${short(said.low)} to ${short(said.high)}`;
    return different(`has ${said.name} of ${span} ${said.unit} a step as number ${i + 1} of its action`, own);
  }
  return undefined;
}

function different(file: string, task: string): ActionDifference {
  return {
    clause: `${file}, where ${task}`,
    remedy: "Give the task the action that the policy was made for, or take a policy that was made for the task's.",
  };
}

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
}

/** Dimensions of a robot's action or ranges of an environment's; empty if any entry is neither. */
function rowsOf(value: unknown): readonly Row[] {
  if (!Array.isArray(value)) return [];
  const rows = value.map((each) => {
    const { name, unit, scale, low, high } = asObject(each) ?? {};
    if (typeof name !== 'string' || typeof unit !== 'string') return undefined;
    if (typeof scale === 'number') return { name, unit, low: -scale, high: scale };
    return typeof low === 'number' && typeof high === 'number' ? { name, unit, low, high } : undefined;
  });
  return rows.every((row) => row !== undefined) ? rows : [];
}

/** True if the range is symmetric about 0. */
function isEven({ low, high }: Row): boolean {
  return isSame(-low, high);
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
}

function short(value: number): string {
  return significant(value, 6);
}
