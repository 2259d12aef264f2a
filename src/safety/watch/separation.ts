/**
 * Speed and separation monitoring: permitted speed of the arm for the distance of the nearest person. ISO/TS
 * 15066:2016, 5.5.4.2 (taken over by ISO 10218-2:2025; from memory, to be checked against their text): the protective
 * separation distance is
 *
 *   S = v_h·(T_r + T_s) + v_r·T_r + S_s + C + Z
 *
 * with v_h and v_r the speeds of person and robot, T_r the reaction time, T_s and S_s the robot's stopping time and
 * distance from v_r, C the intrusion distance of a person into the field before the sensor detects them, and Z the
 * uncertainty of both positions.
 */
import { type RobotModel, type SeparationModel, type StopFigures, servoLagS } from '../../model/index.ts';
import { OBSTACLE_INSIDE } from '../fault-table/flags.ts';

/** Time for which there must be room before the speed rises, s: a flickering distance causes no stutter. */
const CALM_S = 0.5;
/** Shares of the highest speed for which stops are calculated if none were measured. */
const SHARES = [0.25, 0.5, 1];
/** Settling time of a servo, in time constants damping/stiffness. */
const SETTLES = 3;

/** Indices into `DriverReport.distance`. */
const DISTANCE = 0;
const READINGS = 1;

/** Returns S, m, for a robot that stops from `stop.speedMPerS` in the stated time and distance. */
export function separationM(
  { humanSpeedMPerS, reactionS, intrusionM, uncertaintyM }: SeparationModel,
  { speedMPerS, timeS, distanceM }: StopFigures,
): number {
  return humanSpeedMPerS * (reactionS + timeS) + speedMPerS * reactionS + distanceM + intrusionM + uncertaintyM;
}

/**
 * Calculated stops, for robots without measured ones: from the reference's limits, the servos' lag and two ticks, with
 * no slowing at all on the way. An upper bound if the file's numbers are true.
 */
export function reckonedStops({ joints, controlHz, toolSpeedMaxMPerS = 0 }: RobotModel): readonly StopFigures[] {
  const brakeS = Math.max(...joints.map((joint) => joint.velocityMaxRadPerS / joint.accelMaxRadPerS2));
  const lagS = Math.max(...joints.map(servoLagS));
  const timeS = brakeS + SETTLES * lagS + 2 / controlHz;
  return SHARES.map((share) => {
    const speedMPerS = share * toolSpeedMaxMPerS;
    return { speedMPerS, timeS, distanceM: speedMPerS * timeS };
  });
}

/** Row 47 for an arm. Tick-safe after construction. */
export class SeparationWatch {
  /** Largest speed of any monitored point of the arm, m/s, as of the last `check`; Infinity without separation monitoring. */
  toolSpeedMPerS: number = Number.POSITIVE_INFINITY;
  readonly #isWatching: boolean;
  readonly #freshnessS: number;
  readonly #humanSpeedMPerS: number;
  /** [k] permitted speeds, slowest first, and the distance required for each. */
  readonly #speeds: Float64Array;
  readonly #neededM: Float64Array;
  /** Times of the newest reading, and since which there has been room for more than is permitted, s; NaN: never, or none. */
  readonly #sinceS: Float64Array = Float64Array.of(Number.NaN, Number.NaN);
  /** [1] the sensor's reading count at the last check. */
  readonly #readings: Float64Array = Float64Array.of(Number.NaN);
  /** Number of `#speeds` permitted. */
  #allowed = 0;

  constructor(model: RobotModel) {
    const { separation } = model;
    this.#isWatching = separation !== undefined;
    const stops = [...(separation?.stops ?? reckonedStops(model))].sort((a, b) => a.speedMPerS - b.speedMPerS);
    this.#freshnessS = (separation?.freshnessMs ?? 0) / 1e3;
    this.#humanSpeedMPerS = separation?.humanSpeedMPerS ?? 0;
    this.#speeds = Float64Array.from(stops, ({ speedMPerS }) => speedMPerS);
    this.#neededM = Float64Array.from(stops, (stop) => (separation === undefined ? 0 : separationM(separation, stop)));
    // A faster stop needs at least as much room as any slower one.
    for (let k = 1; k < stops.length; k++) this.#neededM[k] = Math.max(this.#neededM[k]!, this.#neededM[k - 1]!);
    if (this.#isWatching) this.toolSpeedMPerS = 0;
  }

  /**
   * Takes the driver's `DriverReport.distance` at `nowS`; returns fault flags. A person may have come nearer since the
   * reading: that distance is deducted. A reading that is too old, absent or NaN counts as a person at the arm.
   */
  check(distance: Float64Array | undefined, nowS: number): number {
    if (!this.#isWatching) return 0;
    if (distance !== undefined && distance[READINGS] !== this.#readings[0]) {
      this.#readings[0] = distance[READINGS]!;
      this.#sinceS[0] = nowS;
    }
    const ageS = nowS - this.#sinceS[0]!;
    // Negated comparison: NaN counts as no room.
    const isFresh = distance !== undefined && ageS <= this.#freshnessS;
    this.#allow(isFresh ? distance[DISTANCE]! - this.#humanSpeedMPerS * ageS : Number.NaN, nowS);
    this.toolSpeedMPerS = this.#allowed === 0 ? 0 : this.#speeds[this.#allowed - 1]!;
    return this.#allowed === 0 ? OBSTACLE_INSIDE : 0;
  }

  /** Lowers the speed at once, raises it after a while. */
  #allow(distanceM: number, nowS: number): void {
    let allowed = 0;
    while (allowed < this.#speeds.length && distanceM >= this.#neededM[allowed]!) allowed++;
    if (allowed <= this.#allowed) {
      this.#allowed = allowed;
      this.#sinceS[1] = Number.NaN;
      return;
    }
    if (Number.isNaN(this.#sinceS[1]!)) this.#sinceS[1] = nowS;
    if (nowS - this.#sinceS[1]! < CALM_S) return;
    this.#allowed = allowed;
    this.#sinceS[1] = Number.NaN;
  }
}
