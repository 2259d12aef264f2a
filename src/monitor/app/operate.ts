/**
 * Operator input of the page: keys, a gamepad, touch sticks or a tracked hand become one action, sent in reply to each
 * frame and stamped with it. While the page is hidden or unfocused the enabling switch is released: the robot holds.
 */
import { computed, signal } from '@preact/signals';
import type { FrameView } from '../../rows/portable.ts';
import { HeldKeys } from './held-keys.ts';
import { isTextField } from './page-keys.ts';
import { ask, frame, hearFrames, operators, person, run } from './stream.ts';
import type { HandPose } from './tracked-hand.ts';

/** Share of full speed requested by a held key. */
export const SPEEDS = [0.1, 0.25, 0.5, 1] as const;
export const speed = signal<number>(0.5);
export const isRecovering = signal(false);
/** Frame in which keys and sticks move the tool. */
export const directions = signal<'base' | 'tool'>('base');
/** Device that moved last, for the record and the display. */
export const device = signal('keyboard');
/** [A] present requested action. */
export const wanted = signal<readonly number[]>([]);
export const gamepadName = signal('');
/** Name of a gamepad without standard mapping, which cannot be used: its axes are not identified. Empty: none. */
export const unknownPad = signal('');
export const isSeated = computed(() => operators.value?.isYours === true);

/** Key codes of a dimension: increase, decrease. */
type KeyPair = readonly [string, string];
const USUAL_KEYS: Readonly<Record<string, KeyPair>> = {
  x: ['KeyW', 'KeyS'],
  y: ['KeyA', 'KeyD'],
  z: ['KeyR', 'KeyF'],
  yaw: ['KeyQ', 'KeyE'],
};
const OTHER_KEYS: readonly KeyPair[] = [
  ['KeyU', 'KeyJ'],
  ['KeyI', 'KeyK'],
  ['KeyO', 'KeyL'],
  ['KeyT', 'KeyG'],
  ['KeyY', 'KeyH'],
  ['KeyW', 'KeyS'],
  ['KeyA', 'KeyD'],
  ['KeyR', 'KeyF'],
  ['KeyQ', 'KeyE'],
];
/** Characters printed by the keys of this keyboard, if the browser reports them. */
const layout = signal<ReadonlyMap<string, string>>(new Map());

interface KeyboardOfBrowser {
  getLayoutMap?(): Promise<ReadonlyMap<string, string>>;
}

/** Label of a key: in the present layout if known, otherwise as on a US keyboard. */
export function keyLabel(code: string): string {
  return (layout.value.get(code) ?? code.replace(/^Key/, '')).toUpperCase();
}

function readLayout(): void {
  const { keyboard } = navigator as { readonly keyboard?: KeyboardOfBrowser };
  keyboard
    ?.getLayoutMap?.()
    .then((map) => {
      layout.value = map;
    })
    .catch(() => undefined); // not allowed for a page in a frame
}

/** Sticks of the standard gamepad (W3C Gamepad, standard mapping), as x, y, z, yaw: up and left are positive. */
const STICKS = [1, 0, 3, 2] as const;
const USUAL_STICK: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, yaw: 3 };
export const PAD_BUTTONS = {
  enable: 4,
  recover: 5,
  success: 0,
  failure: 2,
  stop: 1,
  giveBack: 9,
  rewind: 8,
  critical: 3,
} as const;
const DEADZONE = 0.1;

const held = new HeldKeys();
/** [4] of the sticks on the screen, as `STICKS`; `undefined` where no finger is on one. */
let touch: readonly [number, number, number, number] | undefined;
/** Last pose of a tracked hand, and its time, ms; `undefined` if none is tracked. */
let hand: { readonly pose: HandPose; readonly atMs: number } | undefined;
/** A hand not seen for this long is no longer followed, ms: a headset that is taken off draws no more frames. */
const HAND_MS = 100;
let padHeld = new Set<number>();
/** Polling period of a gamepad while no frames arrive, ms. */
const UNSEEN_MS = 100;
let padReadAtMs = 0;

/** Keys of each dimension of the action, in order. */
export const keys = computed(() => {
  const names = run.value?.task.action.dimensions.map(({ name }) => name) ?? [];
  const taken = new Set(names.flatMap((name) => USUAL_KEYS[name] ?? []));
  const free = OTHER_KEYS.filter((pair) => !pair.some((key) => taken.has(key)));
  return names.map((name) => ({ name, keys: USUAL_KEYS[name] ?? free.shift() ?? (['', ''] as const) }));
});

/** Stick of each dimension, −1 for none. */
const sticks = computed(() => {
  const names = run.value?.task.action.dimensions.map(({ name }) => name) ?? [];
  const taken = new Set(names.map((name) => USUAL_STICK[name]));
  const free = [0, 1, 2, 3].filter((stick) => !taken.has(stick));
  return names.map((name) => USUAL_STICK[name] ?? free.shift() ?? -1);
});

export function setTouch(value: typeof touch): void {
  touch = value;
  if (value === undefined) speakNow();
}

/** Sets the present pose of a tracked hand; while one is tracked, no other input of this page moves the robot. */
export function setHand(pose: HandPose | undefined): void {
  hand = pose && { pose, atMs: performance.now() };
  if (pose === undefined) speakNow();
}

export function sit(): void {
  ask({ kind: 'sit', name: person.peek() });
}

/** Starts or resumes the robot from the seat, which is requested first. */
export function start(): void {
  sit();
  ask({ kind: 'start' });
}

/**
 * Requests the seat and control, and sends the present input: a key pressed while the answer is on its way counts as
 * pressed after the take-over, and moves the robot. `pad`: the gamepad whose button requested it.
 */
export function takeOver(pad?: Pad): void {
  sit();
  const shown = frame.peek();
  if (shown === undefined) return;
  ask({ kind: 'takeOver', shownAtS: shown.sentAtS, device: device.value });
  send(shown, pad);
}

/** Listens to keys and gamepads and replies to each frame. Returns a function that ends it. */
export function operate(): () => void {
  const down = (event: KeyboardEvent): void => {
    const isMotion = keys.value.some((pair) => pair.keys.includes(event.code)) && !isWritten(event.target);
    if (!held.down(event, isMotion, performance.now())) return;
    event.preventDefault();
    device.value = 'keyboard';
    if (!event.repeat) speakNow();
  };
  const up = (event: KeyboardEvent): void => {
    held.up(event);
    speakNow();
  };
  const release = (): void => {
    held.release();
    touch = undefined;
    speakNow();
  };
  readLayout();
  addEventListener('keydown', down);
  addEventListener('keyup', up);
  addEventListener('blur', release);
  const deaf = hearFrames(speak);
  const watching = setInterval(watchPad, UNSEEN_MS);
  return () => {
    clearInterval(watching);
    removeEventListener('keydown', down);
    removeEventListener('keyup', up);
    removeEventListener('blur', release);
    deaf();
  };
}

/** True for elements that use letter keys, for text or to select. */
function isWritten(target: EventTarget | null): boolean {
  return isTextField(target) || target instanceof HTMLSelectElement;
}

/** Sends a changed input at once, stamped with the newest shown frame: a key does not wait for the next frame. */
function speakNow(): void {
  const shown = frame.peek();
  if (shown !== undefined) speak(shown);
}

/** Sends the operator's input, stamped with the shown frame: once a frame and on each key change. False if this page is not seated. */
function speak(view: FrameView): boolean {
  const pad = readPad();
  if (pad?.isTakingOver === true) {
    device.value = pad.name.slice(0, 60);
    takeOver(pad);
    return true;
  }
  return isSeated.value && send(view, pad);
}

function send(view: FrameView, pad: Pad | undefined): boolean {
  const { isEnabled, action, pose } = intent(pad);
  if (action.some((value, i) => value !== wanted.peek()[i])) wanted.value = action;
  const isOfTool = directions.value === 'tool' && run.value?.task.hasToolFrame === true;
  return ask({
    kind: 'input',
    shownAtS: view.sentAtS,
    isEnabled,
    isRecovering: isRecovering.value || pad?.recover === true,
    action,
    frame: isOfTool ? 'tool' : undefined,
    pose,
  });
}

interface Pad {
  readonly name: string;
  readonly axes: readonly number[];
  readonly enable: boolean;
  /** Its enabling button was pressed just now. */
  readonly isTakingOver: boolean;
  readonly recover: boolean;
}

/** Reads the first gamepad with standard mapping; its buttons act on press. */
function readPad(): Pad | undefined {
  padReadAtMs = performance.now();
  const pad = standardPad();
  if (pad === undefined) return undefined;
  hearPadStop(pad);
  const now = new Set(pad.buttons.flatMap(({ pressed }, i) => (pressed ? [i] : [])));
  const isNew = (button: number): boolean => now.has(button) && !padHeld.has(button);
  const isTakingOver = isNew(PAD_BUTTONS.enable);
  if (isSeated.value) {
    if (isNew(PAD_BUTTONS.success)) ask({ kind: 'mark', mark: 'success' });
    if (isNew(PAD_BUTTONS.failure)) ask({ kind: 'mark', mark: 'failure' });
    if (isNew(PAD_BUTTONS.giveBack)) ask({ kind: 'giveBack' });
    if (isNew(PAD_BUTTONS.rewind)) ask({ kind: 'rewind' });
    if (isNew(PAD_BUTTONS.critical) && run.value?.task.isPhased === true) ask({ kind: 'critical' });
  }
  padHeld = now;
  return {
    name: pad.id,
    axes: pad.axes,
    enable: now.has(PAD_BUTTONS.enable),
    isTakingOver,
    recover: now.has(PAD_BUTTONS.recover),
  };
}

/** Polls the gamepad's Stop button while no frames arrive: it works then too, as the page's does. */
function watchPad(): void {
  if (performance.now() - padReadAtMs >= UNSEEN_MS) hearPadStop(standardPad());
}

/** Requests a stop if its button was pressed just now. */
function hearPadStop(pad: Gamepad | undefined): void {
  const isHeld = pad?.buttons[PAD_BUTTONS.stop]?.pressed === true;
  if (isHeld && !padHeld.has(PAD_BUTTONS.stop)) ask({ kind: 'stop' });
  if (isHeld) padHeld.add(PAD_BUTTONS.stop);
  else padHeld.delete(PAD_BUTTONS.stop);
}

function standardPad(): Gamepad | undefined {
  const pads = (navigator.getGamepads?.() ?? []).filter((each) => each?.connected === true);
  const pad = pads.find((each) => each?.mapping === 'standard') ?? undefined;
  gamepadName.value = pad?.id ?? '';
  unknownPad.value = pad === undefined ? (pads[0]?.id ?? '') : '';
  if (pad === undefined) padHeld.clear();
  return pad;
}

interface Intent {
  /** The enabling switch is held. */
  readonly isEnabled: boolean;
  readonly action: number[];
  readonly pose?: HandPose;
}

function intent(pad: Pad | undefined): Intent {
  if (hand !== undefined) {
    const isEnabled = hand.pose.closing !== 0 && performance.now() - hand.atMs < HAND_MS;
    return { isEnabled, action: hand.pose.at.map(() => 0), pose: hand.pose };
  }
  const scale = speed.value;
  const hasFocus = !document.hidden && document.hasFocus();
  if (pad?.enable === true) {
    const values = STICKS.map((axis) => beyondDeadzone(-(pad.axes[axis] ?? 0)));
    return { isEnabled: hasFocus, action: sticks.value.map((stick) => scale * (values[stick] ?? 0) || 0) };
  }
  if (touch !== undefined) {
    const values = touch;
    return { isEnabled: hasFocus, action: sticks.value.map((stick) => scale * (values[stick] ?? 0) || 0) };
  }
  held.check(performance.now());
  const action = keys.value.map(({ keys: [more, less] }) => scale * (Number(held.has(more)) - Number(held.has(less))));
  return { isEnabled: hasFocus, action };
}

function beyondDeadzone(value: number): number {
  const beyond = Math.max(0, Math.abs(value) - DEADZONE) / (1 - DEADZONE);
  return Math.sign(value) * Math.min(1, beyond);
}
