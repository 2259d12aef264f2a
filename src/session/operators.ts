/** Opens people's input devices as operators, with a record of their input. */
import type { RunSetup } from '../config/setup.ts';
import { type Close, openedOrClosed } from '../host/index.ts';
import { type ActionSpec, type Clock, SystemClock } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import {
  DeviceFile,
  EvdevPadParser,
  HidPort,
  JOY_PADS,
  JoydevParser,
  KEY_CODES,
  KeyboardTeleop,
  KeyParser,
  LeaderTeleop,
  LocalPad,
  type MotionOptions,
  mappingOf,
  type OperatorConfig,
  type OperatorHeard,
  Pedal,
  type PedalRole,
  padLegend,
  pedalKeysOf,
  SpaceMouseParser,
  spaceMouseMapping,
  type TeleopEvent,
  type TeleopSource,
  type TerminalInput,
} from '../teleop/index.ts';
import { leaderOf, openLeader } from './leader.ts';
import { type DeviceOf, findGamepad, findMouse, findMouseAgain, findPedal, frameOf } from './operator-devices.ts';
import { RawInput } from './raw-input.ts';

/** Context passed to `openOperators`. */
export interface OperatorsContext {
  readonly setup: RunSetup;
  /** The run's folder, for the record of the devices' input. */
  readonly folder: string;
  readonly heard: OperatorHeard;
  readonly onEvent: (event: TeleopEvent) => void;
  /** Newest frame of the guard, once there is one. */
  readonly robot: () => GuardFrame | undefined;
  /** Prints one line for people. */
  readonly print: (line: string) => void;
  /** Source of keys; absent: none. */
  readonly terminal?: TerminalInput | undefined;
  /** Called on Ctrl+C among the keys. */
  readonly onInterrupt?: () => void;
  /** Lines that `?` shows after those about keys. */
  readonly legend?: readonly string[];
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** Opens the operators in the order of the list. The caller closes them. Rejects with `ReinError`, after closing all. */
export function openOperators(
  operators: readonly OperatorConfig[],
  context: OperatorsContext,
): Promise<readonly TeleopSource[]> {
  return openedOrClosed([], async (closers) => {
    const place = new Place(context, closers);
    // Opened first: other devices ask it whether they are enabled.
    const pedal = operators.find((operator) => operator.kind === 'pedal');
    if (pedal?.kind === 'pedal') place.addPedal(pedal);
    for (const operator of operators) {
      if (operator.kind === 'keyboard') place.addKeyboard();
      else if (operator.kind === 'gamepad') place.addGamepad(operator);
      else if (operator.kind === 'spacemouse') await place.addMouse(operator);
      else if (operator.kind === 'leader') await place.addLeader(operator);
    }
    place.hearTerminal();
    return place.sources;
  });
}

/** One person's devices while they are opened. */
class Place {
  readonly sources: TeleopSource[] = [];
  readonly #context: OperatorsContext;
  readonly #closers: Close[];
  readonly #clock: Clock;
  readonly #action: ActionSpec;
  readonly #heard: OperatorHeard;
  /** Absent: no pedal enables motion. */
  #pedalEnables: (() => boolean) | undefined;
  #pedalRecovers: (() => boolean) | undefined;

  constructor(context: OperatorsContext, closers: Close[]) {
    this.#context = context;
    this.#closers = closers;
    this.#clock = context.clock ?? new SystemClock();
    const { action, isJudged } = context.setup.task;
    this.#action = action;
    const { onMark, ...unmarked } = context.heard;
    this.#heard = isJudged === false ? unmarked : context.heard;
  }

  addKeyboard(): void {
    const { terminal, print, onInterrupt, legend = [] } = this.#context;
    if (terminal === undefined) return;
    this.#record('keyboard').terminal(terminal);
    const keyboard = new KeyboardTeleop({
      ...this.#heard,
      input: terminal,
      clock: this.#clock,
      action: this.#action,
      isRecoveringElsewhere: this.#pedalRecovers,
      onExpired: () => print('Nothing was pressed for 30 s: control is given back.'),
      onHelp: (help) => {
        for (const line of [...help.split('\n'), ...legend]) print(line);
      },
      ...(onInterrupt === undefined ? {} : { onInterrupt }),
    });
    this.#add(keyboard);
  }

  addPedal(config: DeviceOf<'pedal'>): void {
    const { onEvent } = this.#context;
    const { path } = findPedal(config);
    const pedal = new Pedal({
      action: this.#action,
      clock: this.#clock,
      onEvent,
      ...this.#heard,
      port: this.#record('pedal').port(new DeviceFile(path, () => this.#clock.nowS())),
      roles: rolesOf(config),
      onGiveBack: () => this.#giveBack(),
    });
    this.#add(pedal);
    if (config.enable !== undefined) this.#pedalEnables = () => pedal.isHeld('enable');
    if (config.recover !== undefined) this.#pedalRecovers = () => pedal.isHeld('recover');
  }

  addGamepad(config: DeviceOf<'gamepad'>): void {
    const device = findGamepad(config);
    const { pad } = device;
    const port = new DeviceFile(device.path, () => this.#clock.nowS());
    const hint = padLegend(JOY_PADS[pad], this.#heard.onMark === undefined ? 'noMarks' : 'marks');
    const { evdev } = device;
    const first = evdev === undefined ? '' : ' Move each stick once: until then its position is unknown.';
    this.#context.print(`Gamepad ${device.name} (${device.path}). ${JOY_PADS[pad].models}: ${hint}.${first}`);
    const gamepad = new LocalPad({
      ...this.#padOptions(config),
      port: this.#record('gamepad').port(port),
      parser: evdev === undefined ? new JoydevParser() : new EvdevPadParser(evdev),
      mapping: mappingOf(JOY_PADS[pad], this.#action),
      device: { name: 'gamepad', subject: 'gamepad' },
      enabling: 'hold',
      hint,
    });
    this.#add(gamepad);
  }

  async addMouse(config: DeviceOf<'spacemouse'>): Promise<void> {
    const device = findMouse(config);
    const port = await HidPort.connect(() => findMouseAgain(device).path);
    const how = config.enabling === 'latch' ? 'left button takes over and gives back' : 'hold the left button';
    this.#context.print(`${device.name} (${device.path}): ${how}, the right one stops.`);
    const mouse = new LocalPad({
      ...this.#padOptions(config),
      port: this.#record('spacemouse').port(port),
      parser: new SpaceMouseParser(),
      mapping: spaceMouseMapping(this.#action, device.name),
      device: { name: 'spacemouse', subject: 'SpaceMouse' },
      enabling: config.enabling,
      hint: `${how}, right stops`,
    });
    this.#add(mouse);
  }

  async addLeader(config: DeviceOf<'leader'>): Promise<void> {
    const { onEvent, robot, setup, print } = this.#context;
    const { model, poseOf, jointOf } = leaderOf(config, this.#action);
    const arm = this.#record('leader').arm(await openLeader(config, model));
    const names = setup.config.robot.joints.map(({ name }) => name);
    const places = this.#action.dimensions.map(({ name }) => names.indexOf(name));
    const clutchAt = model.joints.findIndex(({ name }) => name === config.clutch?.joint);
    const closedAboveRad = config.clutch?.closedAboveRad ?? 0;
    const wanted = new Float64Array(model.joints.length);
    const { rampPerS, alongside } = config;
    const leader = new LeaderTeleop({
      action: this.#action,
      clock: this.#clock,
      arm,
      poseOf,
      onEvent,
      isRecoveringElsewhere: this.#pedalRecovers,
      isClutchClosed: () =>
        (this.#pedalEnables?.() ?? false) || (clutchAt >= 0 && arm.positionRad[clutchAt]! > closedAboveRad),
      ramp:
        rampPerS === undefined
          ? undefined
          : { perS: rampPerS, robot: () => places.map((at) => robot()?.referenceRad[at] ?? Number.NaN) },
      alongside:
        alongside === undefined
          ? undefined
          : () => {
              const frame = robot();
              if (frame === undefined) return undefined;
              // Joints that the robot lacks stay put, and so does the clutch: it belongs to the person, and would close by itself.
              wanted.set(arm.positionRad);
              for (const [i, name] of names.entries()) {
                const at = jointOf(name);
                if (at >= 0 && at !== clutchAt) wanted[at] = frame.referenceRad[i]!;
              }
              return wanted;
            },
    });
    print(`Leader arm ${model.name}: close its clutch to move the robot.`);
    this.#add(leader);
  }

  /** At the terminal, `c` lets the robot go on and `g` gives control back, whether or not its other keys move anything. */
  hearTerminal(): void {
    const { terminal } = this.#context;
    const keys = new KeyParser();
    terminal?.on('data', (bytes: Buffer) => {
      for (const { name } of keys.feed(bytes, this.#clock.nowS())) {
        if (name === 'g') this.#giveBack();
        if (name === 'c') this.#context.heard.onGoOn?.();
      }
    });
  }

  /** Gives control back; a requested stop persists. */
  #giveBack(): void {
    for (const source of this.sources) if (source.isStopRequested !== true) source.giveBack?.();
    this.#context.heard.onGiveBack?.();
  }

  #padOptions(config: MotionOptions) {
    const { heard, onEvent, robot } = this.#context;
    return {
      action: this.#action,
      clock: this.#clock,
      deadzone: config.deadzone,
      speed: config.speed,
      frame: frameOf(config, this.#action, () => robot()?.referenceTcp),
      onEvent,
      ...heard,
      isEnabledElsewhere: this.#pedalEnables,
      isRecoveringElsewhere: this.#pedalRecovers,
    };
  }

  #record(name: string): RawInput {
    return new RawInput(this.#context.folder, name, this.#clock, this.#context.print);
  }

  #add(source: TeleopSource): void {
    this.#closers.push(() => source.close());
    this.sources.push(source);
  }
}

function rolesOf(config: DeviceOf<'pedal'>): ReadonlyMap<number, PedalRole> {
  return new Map(pedalKeysOf(config).map(([role, key]) => [KEY_CODES[key]!, role]));
}
