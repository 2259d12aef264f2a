/** Implements `rein emulate`: serves the devices of a robot at a port of this machine until it is interrupted. */
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { EMULATED_ROBOTS, type EmulateOptions, INTERRUPTED, interruptibly } from '../../../src/cli/index.ts';
import { loadRobotFile, type Override, type RobotConfig, resolveConfig } from '../../../src/config/index.ts';
import { createSetup } from '../../../src/config/setup.ts';
import { modelOf } from '../../../src/drivers/index.ts';
import { type ServoConfig, serialNumberOf } from '../../../src/drivers/serial.ts';
import { raiseThisThread } from '../../../src/guard/index.ts';
import { ReinError, Rng, SystemClock } from '../../../src/model/index.ts';
import { scenesOf } from '../../../src/tasks/index.ts';
import {
  applyFault,
  CarBody,
  type EmulatedBody,
  type EmulatedScene,
  Emulator,
  type EmulatorKind,
  emulatorKind,
  FAULT_COMMANDS,
  HeldBody,
  MujocoBody,
  SimpleBody,
} from './index.ts';

/** Resolves to the exit code. Rejects with `ReinError`. */
export async function emulateBody(options: EmulateOptions): Promise<number> {
  const { kind, serial, durationS } = options;
  const { robot, scene } = worldOf(options);
  const family = emulatorKind(kind);
  const baud = options.baud ?? (robot.driver.kind === kind ? (robot.driver as ServoConfig).baud : family.baud);
  const rng = new Rng(options.seed);
  const { body, hand } = await bodyOf(family, robot, scene);
  const say = new Reporter(options.format);
  try {
    const bus = family.create({
      robot,
      body,
      baud,
      rng: rng.fork('bus'),
      supplyV: options.supplyV,
      firmware: options.firmware,
      signalNames: scene?.signalNames,
    });
    const link = resolve(options.link ?? join(tmpdir(), `usb-Emulated_${robot.name}_${serial}-if00`));
    const latencyS = options.latencyMs === undefined ? undefined : options.latencyMs * 1e-3;
    const emulator = new Emulator({ bus, baud, clock: new SystemClock(), rng, link, latencyS });
    for (const fault of options.fault) applyFault(emulator, fault.replace(/[=,]/g, ' '));
    return await interruptibly(
      (line) => say.note(line),
      'the port is removed',
      async ({ signal }) => {
        // Hardware has priority over programs, hence real time. The thread that reads the port inherits it from this one.
        const { isRaised } = raiseThisThread();
        emulator.plug();
        const { path } = emulator;
        say.ready(
          { kind, robot: robot.name, link, path, serial: serialNumberOf(link), baud, ids: bus.ids, isRaised },
          bus.states(),
        );
        const end = new AbortController();
        signal.addEventListener('abort', () => end.abort());
        const timer = durationS === undefined ? undefined : setTimeout(() => end.abort(), durationS * 1e3);
        const typed = createInterface({ input: process.stdin });
        typed.on('line', (line) => (line.trim() === 'quit' ? end.abort() : obey(emulator, hand, line, say)));
        try {
          await emulator.run(end.signal);
        } finally {
          clearTimeout(timer);
          typed.close();
          process.stdin.destroy();
        }
        say.statistics('ended', emulator.statistics());
        return signal.aborted ? INTERRUPTED : 0;
      },
    );
  } finally {
    body.close();
  }
}

/** Returns the robot, and the scene that a task puts beside it. */
function worldOf({ kind, robot: name, task, config: overlay, seed }: EmulateOptions): {
  robot: RobotConfig;
  scene?: EmulatedScene | undefined;
} {
  if (task === undefined) return { robot: loadRobotFile(name ?? EMULATED_ROBOTS[kind]).robot };
  const override = (value: string): Override => ({ option: '--robot', path: ['task', 'robot'], value });
  const overrides = name === undefined ? [] : [override(loadRobotFile(name).file)];
  // Resolved as in simulation, where every signal is measured; the bus itself comes from the robot's own file.
  const config = resolveConfig({ task, seed, overrides, overlay, isSimulated: true });
  const folder = /\.ya?ml$/.test(task) ? dirname(resolve(task)) : undefined;
  const own =
    overlay === undefined
      ? loadRobotFile(name ?? config.task.robot, folder).robot
      : resolveConfig({ task, seed, overrides, overlay }).robot;
  const robot = { ...config.robot, driver: own.driver };
  const { surroundings } = scenesOf(config.task);
  if (surroundings === undefined) return { robot };
  const { task: described } = createSetup(config);
  const layout = described.isArrangedByPeople
    ? { jointsRad: config.robot.homeRad, objects: {}, signals: {} }
    : described.drawLayout(new Rng(seed).fork('layout'));
  return { robot, scene: { surroundings, signalNames: described.signalNames, layout } };
}

async function bodyOf(
  family: EmulatorKind,
  robot: RobotConfig,
  scene: EmulatedScene | undefined,
): Promise<{ readonly body: EmulatedBody; readonly hand?: Hand }> {
  if (family.body !== undefined) {
    const body = await family.body(robot);
    return body instanceof CarBody ? { body, hand: handAtCar(body) } : { body };
  }
  const own = modelOf(robot.driver);
  if (own !== undefined) {
    const { model: file, packages } = own;
    const body = new HeldBody(await MujocoBody.open({ file, packages, model: robot, scene }), robot.homeRad);
    return { body, hand: handAtArm(body) };
  }
  if (scene !== undefined) {
    throw new ReinError('config', `No scene can be placed beside ${robot.name}: its file names no model.`, {
      remedy: 'Name its MJCF or URDF as driver.model, or leave --task out.',
    });
  }
  return { body: new SimpleBody(robot.homeRad.map((startRad) => ({ startRad }))) };
}

function obey(emulator: Emulator, hand: Hand | undefined, line: string, say: Reporter): void {
  const word = line.trim();
  if (word === '') return;
  try {
    if (word === 'help') say.note(helpText(hand));
    else if (word === 'state') say.state(emulator.bus.states());
    else if (word === 'statistics') say.statistics('statistics', emulator.statistics());
    else {
      if (hand?.obey(word, emulator.ids) !== true) applyFault(emulator, word);
      say.done(word, emulator.path);
    }
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    say.refused(word, error);
  }
}

/** Hand beside the robot, controlled by typed lines. */
interface Hand {
  /** Commands that the hand takes, with their help texts. */
  readonly help: readonly (readonly [usage: string, help: string])[];
  /** Returns true if `line` was a command for it. Throws `ReinError('config')` if its arguments are invalid. */
  obey(line: string, ids: readonly number[]): boolean;
}

function handAtArm(arm: HeldBody): Hand {
  return {
    help: [
      ['hold', 'a hand brings the arm home, and holds it until its servos pull'],
      ['move ID RAD', 'the hand takes the arm where it is, and moves the joint of that servo there'],
      ['release', 'the hand lets go'],
    ],
    obey: (line, ids) => {
      if (line === 'hold' || line === 'release') arm[line]();
      else if (/^move\b/.test(line)) moveByHand(arm, ids, line);
      else return false;
      return true;
    },
  };
}

function moveByHand(arm: HeldBody, ids: readonly number[], command: string): void {
  const [, idText, radText, ...rest] = command.split(/\s+/);
  const joint = ids.indexOf(Number(idText));
  const toRad = Number(radText);
  const isJoint = joint >= 0 && joint < arm.positionRad.length;
  if (rest.length > 0 || radText === undefined || !Number.isFinite(toRad) || !isJoint) {
    throw new ReinError('config', `move takes the id of a joint's servo and an angle in rad, not "${command}"`, {
      remedy: `servos: ${ids.join(', ')}`,
    });
  }
  arm.move(joint, toRad);
}

function handAtCar(car: CarBody): Hand {
  return {
    help: [['turn M', 'a hand turns the driven wheels by M metres; below 0: back']],
    obey: (line) => {
      if (!/^turn\b/.test(line)) return false;
      const wayM = Number(/^turn\s+(\S+)$/.exec(line)?.[1]);
      if (!Number.isFinite(wayM)) {
        throw new ReinError('config', `turn takes the travel of the wheels in metres, not "${line}"`, {
          remedy: 'e.g. turn 0.5',
        });
      }
      car.turn(wayM);
      return true;
    },
  };
}

function helpText(hand: Hand | undefined): string {
  const rows = Object.entries(FAULT_COMMANDS).map(([word, { usage, help }]) => [`${word} ${usage}`.trim(), help]);
  const own = [
    ...(hand?.help ?? []),
    ['state', 'present state of every device'],
    ['statistics', 'traffic of the line, and its timing'],
    ['quit', 'the end'],
  ];
  return [...rows, ...own].map(([left, right]) => `  ${left!.padEnd(18)} ${right}`).join('\n');
}

interface Ready {
  readonly kind: string;
  readonly robot: string;
  readonly link: string;
  readonly path: string | undefined;
  readonly serial: string | undefined;
  readonly baud: number;
  readonly ids: readonly number[];
  /** True if the process has real-time priority. */
  readonly isRaised: boolean;
}

/** Prints messages as text, or as one JSON object a line. */
class Reporter {
  readonly #isJson: boolean;

  constructor(format: EmulateOptions['format']) {
    this.#isJson = format === 'json';
  }

  ready(ready: Ready, servos: ReturnType<Emulator['bus']['states']>): void {
    const { kind, robot, link, path, serial, baud, ids, isRaised } = ready;
    const encoders = servos.flatMap(({ id, measures }) => (measures === undefined ? [] : [{ id, ...measures }]));
    this.#say('ready', { ...ready, encoders }, [
      // A VESC is one device, and has no id on its line.
      `${kind === 'vesc' ? 'a VESC' : `${kind} servos ${ids.join(' ')}`} of ${robot}, ${baud} baud, at`,
      `  ${link}`,
      `  (${path}${serial === undefined ? '' : `, adapter ${serial}`})`,
      ...encoders.map(({ id, signal, perCount }) => `  ${id} measures ${signal}, ${perCount} a count`),
      ...(isRaised ? [] : ['  (no real-time priority: replies come late while this machine is busy)']),
      kind === 'vesc'
        ? "Name it as driver.port of a robot's file."
        : `Now, in another terminal: rein doctor --port ${link}; or name it as driver.port of a robot's file.`,
      'Here: help lists what can go wrong; state shows the devices; Ctrl+C ends it.',
    ]);
  }

  note(text: string): void {
    this.#say('note', { text }, [text]);
  }

  done(command: string, path: string | undefined): void {
    this.#say('done', { command, path: path ?? null }, [
      `${command}: done${path === undefined ? ', the port is gone' : ''}`,
    ]);
  }

  refused(command: string, { message, remedy }: ReinError): void {
    this.#say('refused', { command, message, remedy }, [`${command}: ${message}; ${remedy ?? ''}`]);
  }

  state(servos: ReturnType<Emulator['bus']['states']>): void {
    this.#say(
      'state',
      { servos },
      servos.map(({ id, model, position, isTorqueOn, load, currentA, temperatureC, errors, place }) => {
        const measured = `${position} counts, ${Math.round(load * 100)} % load, ${currentA.toFixed(2)} A, ${temperatureC.toFixed(0)} °C`;
        const where =
          place === undefined
            ? []
            : [`at ${place.xM.toFixed(2)}, ${place.yM.toFixed(2)} m, ${place.headingRad.toFixed(2)} rad`];
        return `${id} ${model}: ${[measured, `torque ${isTorqueOn ? 'on' : 'off'}`, ...where, ...errors].join(', ')}`;
      }),
    );
  }

  /** Adds the processor time and the running time of the process so far, s. */
  statistics(event: 'statistics' | 'ended', statistics: ReturnType<Emulator['statistics']>): void {
    const { user, system } = process.cpuUsage();
    const took = { cpuS: (user + system) * 1e-6, upS: process.uptime() };
    this.#say(event, { ...statistics, ...took }, [statisticsText(statistics)]);
  }

  #say(event: string, fields: Readonly<Record<string, unknown>>, lines: readonly string[]): void {
    process.stdout.write(this.#isJson ? `${JSON.stringify({ event, ...fields })}\n` : `${lines.join('\n')}\n`);
  }
}

function statisticsText(statistics: ReturnType<Emulator['statistics']>): string {
  const { requests, wrongBytes, replies, lateReplies, faults, replyBeginLateS } = statistics;
  const us = (value: number): string => (Number.isFinite(value) ? `${Math.round(value * 1e6)} µs` : 'none');
  return `${requests} requests, ${wrongBytes} wrong bytes, ${replies} replies (${lateReplies} late; behind their moment: half ${us(replyBeginLateS.p50)}, 99 % ${us(replyBeginLateS.p99)}), ${faults} faults`;
}
