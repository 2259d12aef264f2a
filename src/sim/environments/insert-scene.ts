/**
 * The light scene of the insertion tasks: a square peg that a Cartesian impedance carries, and a plate with a chamfered hole.
 * No arm: three sliding joints of 1 kg, a spring of 2000 N/m and critical damping in each, as an arm under impedance control
 * feels from outside. The peg keeps its orientation.
 */
import { fixtureXml, type PegSceneSpec } from '../../drivers/mujoco.ts';

/** All in m. The chamfer and the gap together catch an error of 2.5 mm on each axis. */
export const INSERT_SPEC: PegSceneSpec = {
  pegWidthM: 0.016,
  pegLengthM: 0.05,
  clearanceM: 0.0005,
  chamferM: 0.002,
  depthM: 0.025,
  mouthRadiusM: 0.004,
};

/** Spring between set-point and peg, N/m: that of the arm's Cartesian impedance in the literature on insertion. */
const STIFFNESS_N_PER_M = 2000;
const MASS_KG = 1;
/** 2·√(K·m): the peg reaches a set-point without passing it. */
const DAMPING_NS_PER_M: number = 2 * Math.sqrt(STIFFNESS_N_PER_M * MASS_KG);

export const TIMESTEP_S = 0.004;

const HALF_WIDTH_M = INSERT_SPEC.pegWidthM / 2;
const HALF_LENGTH_M = INSERT_SPEC.pegLengthM / 2;
const AXES = ['x', 'y', 'z'] as const;

/** MJCF. Joint positions are the peg's tip in the world: (0, 0, 0) is the hole's mouth where the plate stands at first. */
export function insertSceneXml(): string {
  const joints = AXES.map((name, k) => `<joint name="${name}" type="slide" axis="${unit(k)}"/>`).join('');
  const servos = AXES.map((name) => {
    const gains = `kp="${STIFFNESS_N_PER_M}" kv="${DAMPING_NS_PER_M.toFixed(6)}"`;
    return `<position joint="${name}" ${gains}/>`;
  }).join('');
  const peg = `type="box" size="${HALF_WIDTH_M} ${HALF_WIDTH_M} ${HALF_LENGTH_M}" pos="0 0 ${HALF_LENGTH_M}"`;
  return `<mujoco model="insert">
    <compiler angle="radian"/>
    <option timestep="${TIMESTEP_S}" integrator="implicitfast"/>
    <default><default class="contact">
      <geom condim="3" friction="0.3 0.002 0.0001" solref="0.01 1" solimp="0.95 0.99 0.0005"/>
    </default></default>
    <worldbody>
      <body name="peg" gravcomp="1">
        ${joints}
        <geom name="peg" class="contact" mass="${MASS_KG}" ${peg}/>
      </body>
      ${fixtureXml(INSERT_SPEC)}
      <geom name="table" class="contact" type="plane" size="0.3 0.3 0.01" pos="0 0 -0.035" contype="2" conaffinity="2"/>
    </worldbody>
    <actuator>${servos}</actuator>
  </mujoco>`;
}

function unit(axis: number): string {
  return [0, 1, 2].map((k) => (k === axis ? 1 : 0)).join(' ');
}
