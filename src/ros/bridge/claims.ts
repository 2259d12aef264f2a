/** Joints commanded by controllers, from their interface names: `shoulder_joint/position`. Pure. */
import type { RosDriverOptions } from '../../drivers/index.ts';
import type { ControllerState } from '../messages/controller-manager.ts';

/** Interface names of a controller in `list_controllers`, claimed or required, in the order of its command. */
type Claims = Pick<ControllerState, 'claimed_interfaces' | 'required_command_interfaces'>;

export interface Holder {
  readonly name: string;
  /** Joints of this robot that it commands, by their ROS names. */
  readonly joints: readonly string[];
}

/** Quantities forwarded by a forward controller, one unnamed number per joint. */
const FORWARD: readonly string[] = ['position', 'velocity', 'effort'];

/**
 * Reason why a command's numbers would reach other joints than in the robot's file, or mean another quantity. A forward
 * controller takes a list without names, in the order of its parameter `joints`. `unknown`: no controller reports its
 * order.
 */
export function orderFault(
  ours: readonly (Claims & Pick<ControllerState, 'name'>)[],
  { rosJointNames, command }: Pick<RosDriverOptions, 'rosJointNames' | 'command'>,
): string | 'unknown' | undefined {
  if (!FORWARD.includes(command.interface)) return undefined;
  const saying = ours.filter((controller) => interfacesOf(controller).length > 0);
  if (saying.length === 0) return 'unknown';
  const commanding = saying.filter((controller) => jointsOf(controller, rosJointNames).some(isIn(rosJointNames)));
  if (commanding.length === 0) {
    const said = saying.map((each) => `${each.name} commands ${jointsOf(each, rosJointNames).join(', ')}`).join('; ');
    return `${said}; the robot's file has ${rosJointNames.join(', ')}: write the controller's names into driver.jointStates.names.`;
  }
  for (const controller of commanding) {
    const joints = jointsOf(controller, rosJointNames);
    if (joints.join(' ') !== rosJointNames.join(' ')) return wrongOrder(controller.name, joints, rosJointNames);
    const kind = interfacesOf(controller)
      .map(quantityOf)
      .find((each) => FORWARD.includes(each) && each !== command.interface);
    if (kind !== undefined) {
      return `${controller.name} commands ${kind}, the robot's file says driver.command.interface: ${command.interface}. Name the controller that takes ${command.interface}, or write ${kind}.`;
    }
  }
  return undefined;
}

function wrongOrder(name: string, joints: readonly string[], rosJointNames: readonly string[]): string {
  const order = rosJointNames.join(', ');
  return `${name} takes its numbers for ${joints.join(', ')}, in this order; the robot's file has ${order}: a command would throw the arm. Give the controller's parameter \`joints\` the file's order, [${order}], and load it again; or use a joint_trajectory_controller, which goes by names.`;
}

/** Active controllers of `all`, except `ours`, that command joints of this robot. `sharing`: only those that hold interfaces of these. */
export function holdersOf(
  all: readonly ControllerState[],
  ours: readonly string[],
  rosJointNames: readonly string[],
  sharing?: readonly Claims[],
): readonly Holder[] {
  const needed = sharing?.flatMap(interfacesOf);
  return all.flatMap((controller) => {
    const { name, state, claimed_interfaces: claimed } = controller;
    if (state !== 'active' || ours.includes(name)) return [];
    const held = needed === undefined ? claimed : claimed.filter(isIn(needed));
    const joints = unique(held.map((each) => jointOf(each, rosJointNames))).filter(isIn(rosJointNames));
    return joints.length === 0 ? [] : [{ name, joints }];
  });
}

/** `scaled_joint_trajectory_controller holds elbow_joint`; '' for none. */
export function holdersText(holders: readonly Holder[]): string {
  return holders.map(({ name, joints }) => `${name} holds ${joints.join(', ')}`).join('; ');
}

function interfacesOf({
  claimed_interfaces: claimed,
  required_command_interfaces: required,
}: Claims): readonly string[] {
  return required.length > 0 ? required : claimed;
}

function jointsOf(claims: Claims, rosJointNames: readonly string[]): readonly string[] {
  return unique(interfacesOf(claims).map((each) => jointOf(each, rosJointNames)));
}

/** In a chain, the joint is preceded by the next controller's name: `admittance_controller/elbow_joint/position`. */
function jointOf(interfaceName: string, rosJointNames: readonly string[]): string {
  const whole = interfaceName.slice(0, Math.max(0, interfaceName.lastIndexOf('/')));
  return rosJointNames.find((joint) => whole === joint || whole.endsWith(`/${joint}`)) ?? whole;
}

function quantityOf(interfaceName: string): string {
  return interfaceName.slice(interfaceName.lastIndexOf('/') + 1);
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function isIn(names: readonly string[]): (name: string) => boolean {
  return (name) => names.includes(name);
}
