export { CartesianPoseController } from './cartesian-pose.ts';
export type { ArmController, ArmReading, CommandInterface } from './controller.ts';
export { ControllerManager, type ManagedController, type SwitchAnswer } from './controller-manager.ts';
export { ForwardCommandController } from './forward-command.ts';
export { JointTrajectoryController } from './joint-trajectory.ts';
