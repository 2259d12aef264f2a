/**
 * ros2_control's forward_command_controller: one number a joint, handed on as it is, until the next one comes. There is
 * no timeout, as there is none in the real one: whoever commands velocities has to send the zero too.
 */
import { allFinite } from '../../core/index.ts';
import type { ArmController, ArmReading, CommandInterface } from './controller.ts';

/** The plugins that hand on one kind of command; each has its parameters already set. */
const PLUGINS: Readonly<Record<CommandInterface, string>> = {
  position: 'position_controllers/JointGroupPositionController',
  velocity: 'velocity_controllers/JointGroupVelocityController',
  effort: 'effort_controllers/JointGroupEffortController',
};

export class ForwardCommandController implements ArmController {
  readonly name: string;
  readonly type: string;
  readonly commandInterface: CommandInterface;
  readonly #command: Float64Array;

  constructor(commandInterface: CommandInterface, joints: number) {
    this.name = `forward_${commandInterface}_controller`;
    this.type = PLUGINS[commandInterface];
    this.commandInterface = commandInterface;
    this.#command = new Float64Array(joints);
  }

  activate(arm: ArmReading): void {
    if (this.commandInterface === 'position') this.#command.set(arm.setPointRad);
    else this.#command.fill(0);
  }

  /** Takes one number a joint, in the robot's order. Refuses with a sentence what does not fit, and then keeps the old. */
  accept(values: ArrayLike<number>): string | undefined {
    const joints = this.#command.length;
    if (values.length !== joints) return `a command of ${values.length} numbers for ${joints} joints`;
    if (!allFinite(values)) return 'a command that is not finite';
    this.#command.set(values);
    return undefined;
  }

  update(_nowS: number, _arm: ArmReading, out: Float64Array): void {
    out.set(this.#command);
  }
}
