/** Simulator at a port: reads its parameters, registers everything, and simulates one period per `tick`. */
import type { Clock } from '../../../../src/model/index.ts';
import {
  Clock as ClockMessage,
  COMMAND_QOS,
  EVENT_QOS,
  type RosPort,
  type RosPublisher,
  STATE_QOS,
  StringMessage,
} from '../../../../src/ros/program.ts';
import { ArmSimulator } from './arm-simulator.ts';
import { BaseSimulator } from './base-simulator.ts';
import { Complaints, parseInjection } from './injection.ts';
import { readSettings, SIM_PARAMETERS, type SimSettings } from './parameters.ts';
import { resolvePlant } from './plant.ts';
import { SimClock } from './sim-time.ts';
import { SimulatedArm } from './simulated-arm.ts';

export interface SimulatorOptions {
  /** Not started yet. */
  readonly port: RosPort;
  readonly clock: Clock;
  /** Prints one message. */
  readonly say: (message: string) => void;
}

/** One robot: an arm, or a base. */
type Robot = ArmSimulator | BaseSimulator;

export class Simulator {
  readonly periodS: number;
  /** Title for display: "arm6 behind forward_position_controller, 100 Hz". */
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

  /** Declares parameters and registers everything. Throws `ReinError` if the robot cannot be simulated. */
  static async open(options: SimulatorOptions): Promise<Simulator> {
    const settings = readSettings(options.port.declareParameters(SIM_PARAMETERS));
    const { clock, port } = options;
    const own = { factor: settings.clockFactor, startS: clock.nowS() };
    const stamps = new SimClock({ ros: port.clock, ...(settings.publishesClock ? { own } : {}) });
    const complaints = new Complaints(options.say, clock);
    const common = { port, clock, stamps, complaints };
    return new Simulator(options, settings, await createRobot(settings, common));
  }

  /** Simulates the period that ends at `deadlineS` of the machine's clock. */
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

  /** Another robot that publishes what this one does, at present. */
  otherRobot(): string | undefined {
    return this.robot.otherRobot();
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
  const { isBestEffort, isShuffled, interpolatesFromDesired, allowsEndInMotion } = settings;
  const { stamps } = common;
  const plant = resolvePlant(settings);
  const periodS = 1 / plant.rateHz;
  if (plant.kind === 'base') {
    const { base, takesStampedTwist } = plant;
    const robot = new BaseSimulator({ ...common, base, periodS, takesStampedTwist, isBestEffort });
    return { robot, periodS, title: `a base, ${base.kind}`, stamps };
  }
  const arm = new SimulatedArm(plant.model, plant.options, periodS);
  await arm.open();
  const robot = new ArmSimulator({
    ...common,
    arm,
    periodS,
    active: plant.active,
    isShuffled,
    isBestEffort,
    interpolatesFromDesired,
    allowsEndInMotion,
  });
  return { robot, periodS, title: `${plant.model.name} behind ${plant.active}`, stamps };
}
