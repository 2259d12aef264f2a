/** The simulator at a port: reads its parameters, registers everything, and lives one period per `tick`. */
import type { Clock } from '../../core/index.ts';
import { createSetup, resolveConfig, simulatedArm } from '../../runtime/index.ts';
import { Clock as ClockMessage, StringMessage } from '../messages/index.ts';
import { COMMAND_QOS, EVENT_QOS, type RosPort, type RosPublisher, STATE_QOS } from '../port/index.ts';
import { ArmSimulator, SimulatedArm } from './arm/index.ts';
import { BaseSimulator } from './base/index.ts';
import { type ArmControllerKind, readSettings, SIM_PARAMETERS, type SimSettings } from './parameters.ts';
import { Complaints, parseInjection, SimClock } from './shared/index.ts';

export interface SimulatorOptions {
  /** Not started yet. */
  readonly port: RosPort;
  readonly clock: Clock;
  /** Takes one sentence for people. */
  readonly say: (sentence: string) => void;
}

/** One robot: an arm, or a base. */
type Robot = ArmSimulator | BaseSimulator;

/** Ticks a second of a base, which has no control rate of its own. */
const BASE_HZ = 50;

export class Simulator {
  readonly periodS: number;
  /** What it plays, for people: "arm6 behind forward_position_controller, 100 Hz". */
  readonly title: string;
  readonly robot: Robot;
  readonly #options: SimulatorOptions;
  readonly #settings: SimSettings;
  readonly #stamps: SimClock;
  readonly #clockTopic: RosPublisher<ClockMessage> | undefined;
  readonly #clockMessage: ClockMessage = ClockMessage.create();
  readonly #startS: number;
  #isSilenced = false;

  private constructor(options: SimulatorOptions, settings: SimSettings, parts: Parts) {
    this.#options = options;
    this.#settings = settings;
    this.#stamps = parts.stamps;
    this.robot = parts.robot;
    this.periodS = parts.periodS;
    this.title = `${parts.title}, ${Math.round(1 / parts.periodS)} Hz`;
    this.#startS = options.clock.nowS();
    if (settings.publishesClock) this.#clockTopic = options.port.advertise(ClockMessage, '/clock', STATE_QOS);
    options.port.subscribe(StringMessage, '~/inject', { ...COMMAND_QOS, depth: EVENT_QOS.depth }, ({ data }) =>
      this.#inject(data),
    );
  }

  /** Declares parameters and registers everything. Throws `ReinError` for what cannot be simulated. */
  static async open(options: SimulatorOptions): Promise<Simulator> {
    const settings = readSettings(options.port.declareParameters(SIM_PARAMETERS));
    const { clock, port } = options;
    const own = { factor: settings.clockFactor, startS: clock.nowS() };
    const stamps = new SimClock({ ros: port.clock, ...(settings.publishesClock ? { own } : {}) });
    const complaints = new Complaints(options.say, clock);
    const common = { port, clock, stamps, complaints };
    return new Simulator(options, settings, await createRobot(settings, common));
  }

  /** Lets one period pass that ends at `deadlineS` of the machine's clock. */
  tick(deadlineS: number): void {
    const { silenceAfterS } = this.#settings;
    if (silenceAfterS >= 0 && deadlineS - this.#startS >= silenceAfterS && !this.#isSilenced) {
      this.#isSilenced = true;
      this.#inject('silence');
    }
    this.robot.tick(deadlineS);
    if (this.#clockTopic === undefined) return;
    this.#stamps.write(this.#clockMessage.clock, deadlineS);
    this.#clockTopic.publish(this.#clockMessage);
  }

  close(): Promise<void> {
    return this.robot.close();
  }

  #inject(text: string): void {
    const injection = parseInjection(text, this.robot.jointNames);
    if (typeof injection === 'string') {
      this.#options.say(`inject: ${injection}`);
      return;
    }
    if (injection.kind === 'clock_back') this.#stamps.jumpBack(injection.byS);
    else this.robot.trouble.apply(injection);
    this.#options.say(`FAULT INJECTED: ${text.trim()}`);
  }
}

interface Parts {
  readonly robot: Robot;
  readonly periodS: number;
  readonly title: string;
  readonly stamps: SimClock;
}

interface Common {
  readonly port: RosPort;
  readonly clock: Clock;
  readonly stamps: SimClock;
  readonly complaints: Complaints;
}

async function createRobot(settings: SimSettings, common: Common): Promise<Parts> {
  const { base, isBestEffort } = settings;
  if (base !== undefined) {
    const periodS = 1 / (settings.rateHz || BASE_HZ);
    const { takesStampedTwist } = settings;
    const robot = new BaseSimulator({ ...common, base, periodS, takesStampedTwist, isBestEffort });
    return { robot, periodS, title: `a base, ${base.kind}`, stamps: common.stamps };
  }
  const { robot: given } = settings;
  const config = resolveConfig({
    task: settings.task,
    seed: 0,
    overlay: settings.config,
    overrides: given === undefined ? [] : [{ option: 'robot', path: ['task', 'robot'], value: given }],
  });
  const { robot: model } = config;
  const rateHz = settings.rateHz || model.controlHz;
  const arm = new SimulatedArm(model, simulatedArm(config, createSetup(config).task, rateHz));
  await arm.open();
  const active = ACTIVE[settings.armController ?? 'position'];
  const { isShuffled, interpolatesFromDesired, allowsEndInMotion } = settings;
  const robot = new ArmSimulator({
    ...common,
    ...{ arm, periodS: 1 / rateHz, active, isShuffled, isBestEffort, interpolatesFromDesired, allowsEndInMotion },
  });
  return { robot, periodS: 1 / rateHz, title: `${model.name} behind ${active}`, stamps: common.stamps };
}

/** The controller that each value of the parameter stands for. */
const ACTIVE: Readonly<Record<ArmControllerKind, string>> = {
  joint_trajectory: 'joint_trajectory_controller',
  position: 'forward_position_controller',
  velocity: 'forward_velocity_controller',
  effort: 'forward_effort_controller',
  pose: 'cartesian_impedance_controller',
};
