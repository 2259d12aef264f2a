/** Quadrotor of the Crazyflie's size: numbers of the public code of "Learning to Fly in Seconds" (arXiv 2311.13081). */
import { GRAVITY_M_PER_S2 } from '../../../../src/model/index.ts';

const MASS_KG = 0.027;
export const WEIGHT_N: number = MASS_KG * GRAVITY_M_PER_S2;
export const ROTORS = 4;
const THRUST_N_PER_RPM2 = 3.16e-10;
/** Torque about the rotor's axis divided by its thrust. */
const TORQUE_M = 0.005964552;
const RPM_MAX = 21702;
const ROTOR_LAG_S = 0.15;

/** Rotor speed for a command −1…1, rpm. */
export function rpmOf(command: number): number {
  return (RPM_MAX * (command + 1)) / 2;
}

/** Command for a rotor speed of `rpm`. */
export function commandOf(rpm: number): number {
  return (2 * rpm) / RPM_MAX - 1;
}

export function thrustN(rpm: number): number {
  return THRUST_N_PER_RPM2 * rpm ** 2;
}

/** Command at which four rotors carry the weight; 0.334. */
export const HOVER_ACTION: number = commandOf(Math.sqrt(WEIGHT_N / (ROTORS * THRUST_N_PER_RPM2)));

/** Share of the remaining difference to its command that a rotor's speed covers in `dtS`. */
export function rotorLagShare(dtS: number): number {
  return 1 - Math.exp(-dtS / ROTOR_LAG_S);
}

const ARM_M = 0.028;
/** Position of each rotor, in units of the arm, and direction in which its drag turns the body. */
const LAYOUT = [
  [1, -1, -1],
  [-1, -1, 1],
  [-1, 1, -1],
  [1, 1, 1],
] as const;

const SITES: string = LAYOUT.map(([x, y], i) => `<site name="rotor${i}" pos="${x * ARM_M} ${y * ARM_M} 0"/>`).join('');
const MOTORS: string = LAYOUT.map(([, , turn], i) => {
  return `<motor site="rotor${i}" gear="0 0 1 0 0 ${turn * TORQUE_M}"/>`;
}).join('');

/** MJCF: a free body and four motors whose controls are thrusts, N. */
export function quadrotorXml(timestepS: number): string {
  return `<mujoco model="quadrotor">
  <option timestep="${timestepS}" gravity="0 0 -${GRAVITY_M_PER_S2}"/>
  <worldbody>
    <body name="body">
      <freejoint/>
      <inertial pos="0 0 0" mass="${MASS_KG}" diaginertia="3.85e-6 3.85e-6 5.9675e-6"/>
      ${SITES}
    </body>
  </worldbody>
  <actuator>${MOTORS}</actuator>
</mujoco>`;
}
