/** 1:10 car behind an emulated VESC: motor, gearing, wheels and steering servo. */
import type { RobotConfig } from '../../../../src/config/index.ts';
import { modelOf } from '../../../../src/drivers/index.ts';
import { countsPerM, erpmPerMPerS, type VescConfig } from '../../../../src/drivers/serial.ts';
import { clamp, ReinError } from '../../../../src/model/index.ts';
import type { EmulatedBody, RollingBody } from '../bodies/body.ts';
import { MujocoCar } from '../bodies/mujoco-car.ts';
import { SimpleBody, type SimpleJoint } from '../bodies/simple-body.ts';

/** Mass of the raised car, kg (f1tenth_gym: 3.74), including all rotating parts: this project's choice. */
const MASS_KG = 4;
/** Drag of rolling and air, N·s/m, and rolling resistance, N: this project's choice. */
const DRAG_N_S_PER_M = 1.5;
const ROLLING_N = 2;
/** Torque constant of a motor of 3500 rpm per volt, such as F1TENTH cars have: 60/(2π·3500) N·m/A. */
const TORQUE_NM_PER_A = 60 / (2 * Math.PI * 3500);
/** Resistance of windings and controller, Ω: this project's choice. */
const MOTOR_OHM = 0.03;
/** Resistance of the battery and its plugs, Ω: this project's choice. */
const BATTERY_OHM = 0.02;
const STEERING_INERTIA_KGM2 = 0.002;
const STEERING_DAMPING_NMS = 0.05;
/** Gives 3.2 rad/s at most with this damping (f1tenth_gym, sv_max). */
const STEERING_TORQUE_NM = 0.16;
const STEERING_NM_PER_RAD = 6;

/** Defaults in the VESC's units, for a robot's file without them: f1tenth_system's 4614 ERPM at 1 m/s, and its servo. */
const DEFAULT_CAR = {
  motor: { polePairs: 2, gearRatio: 12.08, wheelRadiusM: 0.05, isReversed: false },
  steering: { centre: 0.5304, perRad: -1.2135, min: 0.15, max: 0.85 },
};
const CELLS = 3;
const FULL_CELL_V = 4.1;

/** Speed at which a hand turns wheels, m/s at their rim, and motor force that makes it let go, N. */
const HAND_M_PER_S = 0.5;
const HAND_LETS_GO_N = 0.1;
/** Accuracy of the hand, m. */
const HAND_EXACT_M = 1e-5;

/** Car with its wheels in the air: distance driven, m, and steering angle, rad. */
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

/** Car, raised or on the ground, with a hand at its driven wheels. */
export class CarBody implements EmulatedBody {
  readonly positionRad: Float64Array;
  readonly velocityRadPerS: Float64Array;
  readonly torqueNm: Float64Array;
  readonly signals: ReadonlyMap<string, number>;
  readonly stepS: number;
  readonly #body: RollingBody;
  #isTurned = false;
  /** Distance left for the hand to turn, m. */
  #leftM = 0;

  constructor(body: RollingBody) {
    this.#body = body;
    this.positionRad = body.positionRad;
    this.velocityRadPerS = body.velocityRadPerS;
    this.torqueNm = body.torqueNm;
    this.signals = body.signals;
    this.stepS = body.stepS;
  }

  /** Turns the driven wheels by hand by `wayM` at their rim, forwards if positive, until the motor drives; on the ground the car moves. */
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
 * Opens the body of `robot`: its model on the ground if its file names one, else raised. Rejects with `ReinError('config')` for a robot
 * that is not a car, and for a model that cannot be loaded.
 */
export async function carBody(robot: RobotConfig): Promise<CarBody> {
  const file = modelOf(robot.driver)?.model;
  if (file === undefined) return raisedCar(robot);
  const steering = steeringOf(robot);
  return new CarBody(await MujocoCar.open({ file, steering, rollingN: ROLLING_N, dragNSPerM: DRAG_N_S_PER_M }));
}

/** Returns `robot` with its wheels in the air. Throws `ReinError('config')` for a robot that is not a car. */
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

/** Present command of the motor. */
export type MotorDuty =
  | { readonly kind: 'current' | 'brake'; readonly currentA: number }
  | { readonly kind: 'duty'; readonly ratio: number };

export class CarDriveTrain {
  /** Battery voltage without load, V; mutable at any time. */
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

  /** Voltage at the VESC, under load. */
  get inputV(): number {
    return Math.max(0, this.supplyV - BATTERY_OHM * this.inputA);
  }

  /** Force at the wheels, N, for a motor command at `speedMPerS`. */
  forceN(duty: MotorDuty, speedMPerS: number, limitA: number): number {
    const backV = TORQUE_NM_PER_A * this.#radPerSPerMPerS * speedMPerS;
    // Limited by the battery's voltage, in both directions.
    const least = Math.max(-limitA, (-this.inputV - backV) / MOTOR_OHM);
    const most = Math.min(limitA, (this.inputV - backV) / MOTOR_OHM);
    let wantedA: number;
    if (duty.kind === 'duty') wantedA = (duty.ratio * this.inputV - backV) / MOTOR_OHM;
    // A brake fades with the speed, and never reverses it.
    else if (duty.kind === 'brake')
      wantedA = -clamp(300 * Math.sign(this.#newtonPerA) * speedMPerS, -duty.currentA, duty.currentA);
    else wantedA = duty.currentA;
    this.motorA = clamp(wantedA, least, most);
    this.dutyRatio = this.inputV > 0 ? clamp((backV + MOTOR_OHM * this.motorA) / this.inputV, -1, 1) : 0;
    this.inputA = this.motorA * this.dutyRatio;
    return this.motorA * this.#newtonPerA;
  }

  /** Torque of the steering servo, N·m, for its output. `shiftRad`: slip of its horn. */
  steeringNm(servo: number, angleRad: number, shiftRad: number): number {
    const { centre, perRad } = this.#steering;
    const target = (servo - centre) / perRad + shiftRad;
    return clamp(STEERING_NM_PER_RAD * (target - angleRad), -STEERING_TORQUE_NM, STEERING_TORQUE_NM);
  }
}
