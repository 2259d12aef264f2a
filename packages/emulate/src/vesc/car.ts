/** A car of 1:10 behind an emulated VESC: motor, gearing, wheels and steering servo. */
import type { RobotConfig } from '../../../../src/config/index.ts';
import { clamp, ReinError } from '../../../../src/core/index.ts';
import { modelOf } from '../../../../src/drivers/index.ts';
import { countsPerM, erpmPerMPerS, type VescConfig } from '../../../../src/drivers/serial.ts';
import type { EmulatedBody, RollingBody } from '../bodies/body.ts';
import { MujocoCar } from '../bodies/mujoco-car.ts';
import { SimpleBody, type SimpleJoint } from '../bodies/simple-body.ts';

/** Mass of the raised car, kg (f1tenth_gym: 3.74), and with it all that turns: this project's choice. */
const MASS_KG = 4;
/** Rolling and air, N·s/m and N: this project's choice. */
const DRAG_N_S_PER_M = 1.5;
const ROLLING_N = 2;
/** Of a motor of 3500 turns a minute and volt, such as F1TENTH cars have: torque is 60/(2π·3500) N·m/A. */
const TORQUE_NM_PER_A = 60 / (2 * Math.PI * 3500);
/** Of windings and controller, Ω: this project's choice. */
const MOTOR_OHM = 0.03;
/** Of a battery and its plugs, Ω: this project's choice. */
const BATTERY_OHM = 0.02;
const STEERING_INERTIA_KGM2 = 0.002;
const STEERING_DAMPING_NMS = 0.05;
/** With the damping: 3.2 rad/s at most (f1tenth_gym, sv_max). */
const STEERING_TORQUE_NM = 0.16;
const STEERING_NM_PER_RAD = 6;

/** As the VESC counts, where the robot's file says nothing: f1tenth_system's 4614 electrical turns at 1 m/s, and its servo. */
const DEFAULT_CAR = {
  motor: { polePairs: 2, gearRatio: 12.08, wheelRadiusM: 0.05, isReversed: false },
  steering: { centre: 0.5304, perRad: -1.2135, min: 0.15, max: 0.85 },
};
const CELLS = 3;
const FULL_CELL_V = 4.1;

/** How fast a hand turns wheels, m/s at their rim, and what makes it let go: a motor that pushes, N. */
const HAND_M_PER_S = 0.5;
const HAND_LETS_GO_N = 0.1;
/** How exactly it turns, m. */
const HAND_EXACT_M = 1e-5;

/** A car in the air: the way driven, m, and the steering angle, rad. */
class RaisedCar extends SimpleBody implements RollingBody {
  constructor(steering: SimpleJoint) {
    super([{ inertiaKgM2: MASS_KG, dampingNmSPerRad: DRAG_N_S_PER_M, frictionNm: ROLLING_N }, steering]);
  }

  roll(wayM: number): void {
    const fromM = this.positionRad[0]!;
    this.step();
    this.positionRad[0] = fromM + wayM;
    this.velocityRadPerS[0] = wayM / this.stepS;
  }
}

/** A car, raised or on the ground, and a hand at its driven wheels. */
export class CarBody implements EmulatedBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: ReadonlyMap<string, number>;
  readonly stepS: number;
  readonly #body: RollingBody;
  #isTurned = false;
  /** What the hand has left to turn, m. */
  #leftM = 0;

  constructor(body: RollingBody) {
    this.#body = body;
    this.positionRad = body.positionRad;
    this.velocityRadPerS = body.velocityRadPerS;
    this.torqueNm = body.torqueNm;
    this.signals = body.signals;
    this.stepS = body.stepS;
  }

  /** A hand turns the driven wheels by `wayM` at their rim, ahead where it is above 0, until the motor does; on the ground the car goes along. */
  turn(wayM: number): void {
    this.#leftM = wayM;
    this.#isTurned = true;
  }

  step(): void {
    if (Math.abs(this.torqueNm[0]!) > HAND_LETS_GO_N) this.#isTurned = false;
    if (!this.#isTurned) {
      this.#body.step();
      return;
    }
    const fromM = this.positionRad[0]!;
    const mostM = HAND_M_PER_S * this.stepS;
    const wayM = Math.abs(this.#leftM) < HAND_EXACT_M ? 0 : clamp(this.#leftM, -mostM, mostM);
    this.#body.roll(wayM);
    this.#leftM -= this.positionRad[0]! - fromM;
    this.#isTurned = wayM !== 0;
  }

  close(): void {
    this.#body.close();
  }
}

/**
 * The body of `robot`: its model on the ground where its file names one, else raised. Rejects with `ReinError('config')` for what is no car,
 * and for a model that cannot be loaded.
 */
export async function carBody(robot: RobotConfig): Promise<CarBody> {
  const file = modelOf(robot.driver)?.model;
  if (file === undefined) return raisedCar(robot);
  const steering = steeringOf(robot);
  return new CarBody(await MujocoCar.open({ file, steering, rollingN: ROLLING_N, dragNSPerM: DRAG_N_S_PER_M }));
}

/** `robot` with its wheels in the air. Throws `ReinError('config')` for what is no car. */
export function raisedCar(robot: RobotConfig): CarBody {
  return new CarBody(new RaisedCar(steeringOf(robot)));
}

function steeringOf(robot: RobotConfig): SimpleJoint {
  if (robot.base?.kind !== 'ackermann') {
    throw new ReinError('config', `${robot.name} is no car: a VESC drives bases of the kind ackermann.`, {
      remedy: 'Name one, e.g. --robot race-car-vesc.',
    });
  }
  const limitRad = 1.2 * robot.base.steeringMaxRad!;
  return {
    inertiaKgM2: STEERING_INERTIA_KGM2,
    dampingNmSPerRad: STEERING_DAMPING_NMS,
    frictionNm: 0.001,
    minRad: -limitRad,
    maxRad: limitRad,
  };
}

/** What the motor does in a moment. */
export type MotorDuty =
  | { readonly kind: 'current' | 'brake'; readonly currentA: number }
  | { readonly kind: 'duty'; readonly ratio: number };

export class CarDriveTrain {
  /** Full battery, V; may be changed at any time. */
  supplyV: number;
  motorA = 0;
  inputA = 0;
  dutyRatio = 0;
  readonly wheelbaseM: number;
  readonly countsPerM: number;
  readonly erpmPerMPerS: number;
  readonly #steering: VescConfig['steering'];
  readonly #newtonPerA: number;
  readonly #radPerSPerMPerS: number;

  constructor({ base, driver }: RobotConfig, supplyV: number | undefined) {
    const { motor, steering } = driver.kind === 'vesc' ? (driver as VescConfig) : DEFAULT_CAR;
    const cells = driver.kind === 'vesc' ? ((driver as VescConfig).battery?.cells ?? CELLS) : CELLS;
    this.supplyV = supplyV ?? FULL_CELL_V * cells;
    this.wheelbaseM = base?.wheelbaseM ?? 0.33;
    const sign = motor.isReversed ? -1 : 1;
    this.countsPerM = sign * countsPerM(motor);
    this.erpmPerMPerS = sign * erpmPerMPerS(motor);
    this.#steering = steering;
    this.#radPerSPerMPerS = (sign * motor.gearRatio) / motor.wheelRadiusM;
    this.#newtonPerA = TORQUE_NM_PER_A * this.#radPerSPerMPerS;
  }

  /** At the VESC, under load. */
  get inputV(): number {
    return Math.max(0, this.supplyV - BATTERY_OHM * this.inputA);
  }

  /** Force at the wheels, N, of what the motor is made to do at `speedMPerS`. */
  forceN(duty: MotorDuty, speedMPerS: number, limitA: number): number {
    const backV = TORQUE_NM_PER_A * this.#radPerSPerMPerS * speedMPerS;
    // What the battery's voltage lets through, either way.
    const least = Math.max(-limitA, (-this.inputV - backV) / MOTOR_OHM);
    const most = Math.min(limitA, (this.inputV - backV) / MOTOR_OHM);
    let wantedA: number;
    if (duty.kind === 'duty') wantedA = (duty.ratio * this.inputV - backV) / MOTOR_OHM;
    // A brake dies away with the speed, and turns nothing about.
    else if (duty.kind === 'brake')
      wantedA = -clamp(300 * Math.sign(this.#newtonPerA) * speedMPerS, -duty.currentA, duty.currentA);
    else wantedA = duty.currentA;
    this.motorA = clamp(wantedA, least, most);
    this.dutyRatio = this.inputV > 0 ? clamp((backV + MOTOR_OHM * this.motorA) / this.inputV, -1, 1) : 0;
    this.inputA = this.motorA * this.dutyRatio;
    return this.motorA * this.#newtonPerA;
  }

  /** What the steering servo exerts, N·m, for its output. `shiftRad`: how far its horn has slipped. */
  steeringNm(servo: number, angleRad: number, shiftRad: number): number {
    const { centre, perRad } = this.#steering;
    const target = (servo - centre) / perRad + shiftRad;
    return clamp(STEERING_NM_PER_RAD * (target - angleRad), -STEERING_TORQUE_NM, STEERING_TORQUE_NM);
  }
}
