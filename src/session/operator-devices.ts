/** Which devices people have at a robot, and whether they are there: looked at before anything is started, without opening one. */
import { type ActionSpec, ReinError } from '../core/index.ts';
import type { TaskConfig } from '../tasks/index.ts';
import {
  type DeviceRoots,
  findInputDevice,
  type InputDevice,
  isRanged,
  MotionFrame,
  type MotionOptions,
  type OperatorConfig,
  plainOperator,
  withRange,
} from '../teleop/index.ts';
import { leaderOf } from './leader.ts';
import type { RunRequest } from './run-request.ts';

/** The settings of one kind of device. */
export type DeviceOf<K extends OperatorConfig['kind']> = Extract<OperatorConfig, { readonly kind: K }>;

/** Who may take over in a run: `--operator`, then those of the file, each kind once. Throws `ReinError`. */
export function operatorsOf(operator: RunRequest['operator'], listed: readonly OperatorConfig[]): OperatorConfig[] {
  const all = [...listed];
  const isPlain = operator !== 'none' && operator !== 'scripted';
  if (isPlain && !all.some(({ kind }) => kind === operator)) all.unshift(plainOperator(operator));
  for (const kind of new Set(all.map(({ kind }) => kind))) {
    if (all.filter((each) => each.kind === kind).length > 1)
      throw new ReinError('config', `There is more than one ${kind} in operators.`, {
        remedy: 'Name one of each kind.',
      });
  }
  return all;
}

/**
 * Looks whether the devices are plugged in and may be read, and whether they fit the action, before anything is started. Opens none. Throws
 * `ReinError` with one sentence.
 */
export function checkDevices(operators: readonly OperatorConfig[], task: TaskConfig): void {
  // Of a task of others it is known once its module is loaded.
  const action = 'action' in task ? task.action : undefined;
  for (const operator of operators) {
    if (operator.kind === 'gamepad') findGamepad(operator);
    else if (operator.kind === 'spacemouse') findMouse(operator);
    else if (operator.kind === 'pedal') findPedal(operator);
    else if (operator.kind === 'leader' && action !== undefined) leaderOf(operator, action);
    if ('frame' in operator && action !== undefined) frameOf(operator, action, () => undefined);
  }
  const enables = operators.some((operator) => operator.kind === 'pedal' && operator.enable !== undefined);
  const leader = operators.find((operator) => operator.kind === 'leader');
  if (leader?.kind === 'leader' && leader.clutch === undefined && !enables) {
    throw new ReinError('config', 'The leader arm has no clutch, so that nothing could begin with it.', {
      remedy: 'Give it clutch: { joint, closedAboveRad }, or add a pedal with an enable key.',
    });
  }
}

/** Pads and mice that `--operator` would find here. */
export function pluggedIn(): ('gamepad' | 'spacemouse')[] {
  return (['gamepad', 'spacemouse'] as const).filter((kind) => {
    try {
      findInputDevice(kind, undefined);
      return true;
    } catch {
      return false; // it is not offered
    }
  });
}

/** A gamepad of which all is known that its reader needs. Throws `ReinError` in one sentence. */
export function findGamepad({ device, axisRange }: DeviceOf<'gamepad'>, roots?: DeviceRoots): InputDevice {
  const found = findInputDevice('gamepad', device, roots);
  if (found.evdev === undefined) return found;
  const evdev = withRange(found.evdev, axisRange);
  if (isRanged(evdev)) return { ...found, evdev };
  throw new ReinError('environment', `How far the sticks of ${found.name} (${found.path}) go is not known.`, {
    remedy:
      'Let joydev tell it (sudo modprobe joydev), or write axisRange: [min, max], as evtest shows them for ABS_X.',
  });
}

export function findMouse({ device }: DeviceOf<'spacemouse'>): InputDevice {
  return findInputDevice('spacemouse', device);
}

export function findPedal({ device }: DeviceOf<'pedal'>): InputDevice {
  return findInputDevice('pedal', device);
}

/** Throws `ReinError` where the action moves no tool. Nothing to turn for the base frame. */
export function frameOf(
  { frame, cameraRpyRad }: MotionOptions,
  action: ActionSpec,
  tool: () => ArrayLike<number> | undefined,
): MotionFrame | undefined {
  if (frame === 'base') return undefined;
  try {
    return new MotionFrame(frame === 'tool' ? 'tool' : { cameraRpyRad }, action, tool);
  } catch (cause) {
    const message = `frame is ${frame}, and the action of this task moves no tool in x, y and z.`;
    throw new ReinError('config', message, { remedy: 'Write frame: base.', cause });
  }
}
