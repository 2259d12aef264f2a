/** Operators' input devices at a robot: checked for presence before anything is started, without opening one. */
import { type ActionSpec, ReinError } from '../model/index.ts';
import type { TaskConfig } from '../tasks/index.ts';
import {
  type DeviceRoots,
  findInputDevice,
  type InputDevice,
  isRanged,
  JOY_PAD_NAMES,
  type JoyPadName,
  listInputDevices,
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

/** Devices that may take over in a run: that of `--operator`, then those of the file, each kind once. Throws `ReinError`. */
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
 * Checks that the devices are plugged in and readable, and fit the action, before anything is started. Opens none. Throws `ReinError` with
 * one sentence.
 */
export function checkDevices(operators: readonly OperatorConfig[], task: TaskConfig): void {
  // The action of a third-party task is known once its module is loaded.
  const action = 'action' in task ? task.action : undefined;
  for (const operator of operators) {
    checkDevice(operator);
    if (operator.kind === 'pedal') findPedal(operator);
    else if (operator.kind === 'leader' && action !== undefined) leaderOf(operator, action);
    if ('frame' in operator && action !== undefined) frameOf(operator, action, () => undefined);
  }
  const enables = operators.some((operator) => operator.kind === 'pedal' && operator.enable !== undefined);
  const leader = operators.find((operator) => operator.kind === 'leader');
  if (leader?.kind === 'leader' && leader.clutch === undefined && !enables) {
    throw new ReinError('config', 'The leader arm has no clutch, so it cannot take over.', {
      remedy: 'Give it clutch: { joint, closedAboveRad }, or add a pedal with an enable key.',
    });
  }
}

function checkDevice(operator: OperatorConfig): void {
  if (operator.kind === 'gamepad') findGamepad(operator);
  else if (operator.kind === 'spacemouse') findMouse(operator);
}

/** Gamepads and SpaceMice that `--operator` would find here. */
export function pluggedIn(): ('gamepad' | 'spacemouse')[] {
  return (['gamepad', 'spacemouse'] as const).filter((kind) => {
    try {
      checkDevice(plainOperator(kind));
      return true;
    } catch {
      return false; // it is not offered
    }
  });
}

/** A gamepad with a known layout, which defines its stop button. */
export type KnownGamepad = InputDevice & { readonly pad: JoyPadName };

/** Finds a gamepad of which its reader knows enough. Throws `ReinError` in one sentence. */
export function findGamepad({ device, pad, axisRange }: DeviceOf<'gamepad'>, roots?: DeviceRoots): KnownGamepad {
  const plugged = findInputDevice('gamepad', device, roots);
  const found = { ...plugged, pad: padOf(plugged, pad) };
  if (found.evdev === undefined) return found;
  const evdev = withRange(found.evdev, axisRange);
  if (isRanged(evdev)) return { ...found, evdev };
  throw new ReinError('environment', `The stick range of ${found.name} (${found.path}) is unknown.`, {
    remedy:
      'Load joydev, which reports it (sudo modprobe joydev), or set axisRange: [min, max], as evtest shows for ABS_X.',
  });
}

/** A layout `named` in a file is used if the device's is unknown; it may not contradict that of the kernel. */
function padOf({ name, path, pad }: InputDevice, named: JoyPadName | undefined): JoyPadName {
  if (pad !== undefined && named !== undefined && pad !== named) {
    throw new ReinError('config', `operators has pad: ${named}, and ${name} (${path}) has the buttons of a ${pad}.`, {
      remedy: `Write pad: ${pad}, or leave it out; on a pad with a switch X/D, put the switch where the file wants it.`,
    });
  }
  const known = pad ?? named;
  if (known !== undefined) return known;
  throw new ReinError(
    'environment',
    `The stop button of ${name} (${path}) is unknown: Rein does not know this layout.`,
    {
      remedy: `Read the numbers of its buttons with evtest, and set its layout in --config: operators: [{ kind: gamepad, pad: P }], P one of ${JOY_PAD_NAMES.join(', ')} (docs/teleoperation.md).`,
    },
  );
}

export function findMouse({ device }: DeviceOf<'spacemouse'>): InputDevice {
  return findInputDevice('spacemouse', device);
}

/** Finds `mouse` again, at its old path or plugged in elsewhere. Throws `ReinError` if it is gone. */
export function findMouseAgain({ path, name }: InputDevice, roots?: DeviceRoots): InputDevice {
  const mice = listInputDevices(roots).filter(({ kind }) => kind === 'spacemouse');
  const found = mice.find((mouse) => mouse.path === path) ?? mice.find((mouse) => mouse.name === name);
  if (found !== undefined) return found;
  throw new ReinError('environment', `The SpaceMouse ${name} (${path}) is not plugged in any more.`, {
    remedy: 'Plug it in; rein doctor lists the input devices of this machine.',
  });
}

export function findPedal({ device }: DeviceOf<'pedal'>): InputDevice {
  return findInputDevice('pedal', device);
}

/** Motion frame of a device; `undefined` for the base frame (no rotation). Throws `ReinError` if the action moves no tool. */
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
