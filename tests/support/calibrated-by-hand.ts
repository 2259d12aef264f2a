/** An emulated arm on a line of this process, whose servos are mounted as somebody happened to, and a hand that calibrates it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FeetechBus } from '../../packages/emulate/src/feetech/feetech-bus.ts';
import { FeetechServo } from '../../packages/emulate/src/feetech/feetech-servo.ts';
import { SimpleBody } from '../../packages/emulate/src/index.ts';
import { MemoryLine, WaitedClock } from '../../packages/emulate/src/memory-line.ts';
import type { ServoSpec } from '../../packages/emulate/src/servo-chain.ts';
import type { BusPort } from '../../src/bring-up/bus-port.ts';
import type { ServoArm } from '../../src/bring-up/families.ts';
import type { Guide } from '../../src/bring-up/guide.ts';
import { requireServoArm } from '../../src/bring-up/index.ts';
import { loadRobotFile } from '../../src/config/index.ts';
import type { LineSettings } from '../../src/drivers/serial.ts';
import { ReinError, Rng } from '../../src/model/index.ts';

export const ADAPTER = 'EMU0001';
const BAUD = 1_000_000;
/** No calibration says more. */
const MANY = 400;
const PER_RAD = 4096 / (2 * Math.PI);

/** How each joint's servo is mounted: no two alike, some the other way round. */
export interface Mounting {
  readonly zeroCounts: number;
  readonly direction: 1 | -1;
  readonly registers?: Readonly<Record<string, number>>;
  readonly id?: number;
}

export const MOUNTINGS: readonly Mounting[] = [
  { zeroCounts: 2048, direction: 1 },
  { zeroCounts: 1990, direction: -1 },
  { zeroCounts: 2100, direction: 1 },
  { zeroCounts: 1500, direction: -1 },
  { zeroCounts: 2048, direction: 1 },
  { zeroCounts: 2300, direction: -1, registers: { homingOffset: -40 } },
];

export interface HandRig {
  readonly arm: ServoArm;
  readonly body: SimpleBody;
  readonly bus: FeetechBus;
  readonly servos: readonly FeetechServo[];
  readonly out: string;
  readonly folder: string;
  readonly clock: WaitedClock;
  readonly open: (settings: LineSettings) => Promise<BusPort>;
  /** How often the port was opened, by baud. */
  readonly opened: number[];
  remove(): void;
}

export interface HandRigOptions {
  readonly mountings?: readonly Mounting[];
  readonly more?: readonly ServoSpec[];
  readonly busBaud?: number;
  readonly adapter?: string;
  /** What is sent comes back. */
  readonly isEchoing?: boolean;
}

/** An SO-101 at zero. */
export function handRig({
  mountings = MOUNTINGS,
  more = [],
  busBaud = BAUD,
  adapter = ADAPTER,
  isEchoing = false,
}: HandRigOptions = {}): HandRig {
  const arm = requireServoArm(loadRobotFile('so101').robot, 'calibrate');
  const body = new SimpleBody(arm.robot.joints.map(() => ({ startRad: 0 })));
  const specs = mountings.map(
    ({ zeroCounts, direction, registers, id }, joint): ServoSpec => ({
      id: id ?? joint + 1,
      model: arm.motors[0]!.model,
      joint,
      zeroCounts,
      countsPerUnit: direction * PER_RAD,
      registers,
    }),
  );
  const baudCode = [1_000_000, 500_000, 250_000, 128_000, 115_200, 76_800, 57_600, 38_400].indexOf(busBaud);
  const servos = [...specs, ...more].map(
    (spec) => new FeetechServo({ ...spec, registers: { baud: baudCode, ...spec.registers } }),
  );
  const bus = new FeetechBus({ servos, body, baud: busBaud, rng: new Rng(1) });
  const clock = new WaitedClock();
  const folder = mkdtempSync(join(tmpdir(), 'rein-bring-up-'));
  const opened: number[] = [];
  return {
    arm,
    body,
    bus,
    servos,
    out: join(folder, 'so101.json'),
    folder,
    clock,
    opened,
    open: async ({ baud }) => {
      opened.push(baud);
      const line = new MemoryLine(bus, { baud: busBaud, hostBaud: baud, clock, path: '/dev/memory' });
      line.isEchoing = isEchoing;
      return { line, adapter, answerS: 0.004, warning: undefined, close: async () => line.close() };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Does what it is asked to, as the person at the arm would; `overrides` answer instead where they give something. */
export class HandGuide implements Guide {
  readonly said: string[] = [];
  readonly #rig: Pick<HandRig, 'arm' | 'body' | 'clock'>;
  readonly #overrides: (question: string, guide: HandGuide) => string | undefined;
  #joint = 0;
  #look: () => void = () => undefined;

  constructor(
    rig: Pick<HandRig, 'arm' | 'body' | 'clock'>,
    overrides: (question: string, guide: HandGuide) => string | undefined = () => undefined,
  ) {
    this.#rig = rig;
    this.#overrides = overrides;
  }

  /** Index of the joint that was named last. */
  get joint(): number {
    return this.#joint;
  }

  say(line: string): void {
    this.said.push(line);
    const named = /^\d+\/\d+ (\w+) \(servo/.exec(line)?.[1];
    if (named !== undefined) this.#joint = this.#rig.arm.robot.joints.findIndex(({ name }) => name === named);
  }

  async ask(question: string, meanwhile?: { look(): void; lines(): readonly string[] }): Promise<string> {
    this.said.push(question);
    if (this.said.length > MANY) throw new Error(`asked without end: ${question}`);
    const joint = this.#rig.arm.robot.joints[this.#joint]!;
    this.#look = () => meanwhile?.look();
    const answer = this.#overrides(question, this);
    if (answer !== undefined) {
      meanwhile?.look();
      return answer;
    }
    if (question.includes('Put it at')) this.moves(0);
    else if (question.includes('hold it at its zero')) this.movesNamed(question, 0);
    // One that stands at its stop goes back first.
    else if (question.includes('its angle rises')) {
      const rising = Math.min(0.5, joint.positionMaxRad);
      this.moves(rising - 0.5, rising);
    } else if (question.includes('its angle has to rise')) this.movesNamed(question);
    else if (question.includes('to one stop')) this.moves(joint.positionMinRad, joint.positionMaxRad);
    for (const line of meanwhile?.lines() ?? []) this.said.push(line);
    return question.includes('[y/N]') ? 'y' : '';
  }

  /** The joint that `question` begins with goes half a radian on, or from one to the next. */
  movesNamed(question: string, ...targetsRad: readonly number[]): void {
    this.#joint = this.#rig.arm.robot.joints.findIndex(({ name }) => question.startsWith(`${name}:`));
    this.moves(...(targetsRad.length > 0 ? targetsRad : [0.5]));
  }

  /** The joint at hand goes from one to the next, while the question is open. */
  moves(...targetsRad: readonly number[]): void {
    for (const target of targetsRad) this.#moveTo(target);
  }

  /** In steps that an encoder can follow. */
  #moveTo(targetRad: number): void {
    const { body, clock } = this.#rig;
    const from = body.positionRad[this.#joint]!;
    const steps = Math.max(1, Math.ceil(Math.abs(targetRad - from) / 0.1));
    for (let k = 1; k <= steps; k++) {
      body.positionRad[this.#joint] = from + ((targetRad - from) * k) / steps;
      body.velocityRadPerS[this.#joint] = 0;
      // The next look of a person's terminal.
      clock.passTo(clock.nowS() + 0.02);
      this.#look();
    }
  }
}

/** What makes a guide reject, as Ctrl+C does. */
export class Interrupted extends ReinError {
  constructor() {
    super('environment', 'interrupted');
  }
}
