/** A URDF of an arm with the frames of `ur5eLike`, and joint names, masses and limits of the size of a UR5e's; no meshes. */
import { ur5eLike } from './robot-models.ts';

const NAMES = [
  'shoulder_pan_joint',
  'shoulder_lift_joint',
  'elbow_joint',
  'wrist_1_joint',
  'wrist_2_joint',
  'wrist_3_joint',
];
const LINKS = [
  'base_link',
  'shoulder_link',
  'upper_arm_link',
  'forearm_link',
  'wrist_1_link',
  'wrist_2_link',
  'wrist_3_link',
];
const MASSES_KG = [4, 3.8, 8, 2.3, 1.2, 1.2, 0.2];
const EFFORTS_NM = [150, 150, 150, 28, 28, 28];
const RADIUS_M = 0.04;

/** As `xacro ur.urdf.xacro ur_type:=ur5e` gives one, but for its looks. */
export function ur5eUrdf(): string {
  const links = LINKS.map((name, i) => {
    const mass = MASSES_KG[i]!;
    const inertia = `<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>`;
    return `<link name="${name}"><inertial><origin xyz="0 0 0"/><mass value="${mass}"/>${inertia}</inertial><collision><geometry><sphere radius="${RADIUS_M}"/></geometry></collision></link>`;
  });
  const joints = ur5eLike.joints.map(({ originXyzM, originRpyRad, positionMinRad, positionMaxRad }, i) => {
    const limit = `<limit lower="${positionMinRad / 2}" upper="${positionMaxRad / 2}" effort="${EFFORTS_NM[i]}" velocity="3.141592653589793"/>`;
    return `<joint name="${NAMES[i]}" type="revolute"><parent link="${LINKS[i]}"/><child link="${LINKS[i + 1]}"/><origin xyz="${originXyzM.join(' ')}" rpy="${originRpyRad.join(' ')}"/><axis xyz="0 0 1"/>${limit}</joint>`;
  });
  const tool = `<link name="tool0"/><joint name="flange" type="fixed"><parent link="wrist_3_link"/><child link="tool0"/><origin xyz="0 0 0.1" rpy="0 0 0"/></joint>`;
  return `<robot name="ur5e">\n${[...links, ...joints, tool].join('\n')}\n</robot>\n`;
}

/** What MoveIt's joint_limits.yaml of a UR5e says. */
export const UR5E_JOINT_LIMITS: string = `joint_limits:\n${NAMES.map((name) => `  ${name}: { has_acceleration_limits: true, max_acceleration: 5.0 }`).join('\n')}\n`;
