/** Writes the ROS reference page from code, so that it cannot be wrong. */
export { rosReference } from './page.ts';
export { type LaunchArgument, parseLaunchArguments } from './sources.ts';
