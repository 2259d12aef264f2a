/** From a robot's MJCF or URDF and what limits it to one checked robot, and to the file that describes it. */
export { loadCheckSubject, loadModelSubject } from './load-subject.ts';
export type { ModelSubject } from './model-subject.ts';
export { type ImportedFile, robotFileText } from './robot-text.ts';
export type { RosAsked } from './ros-driver-text.ts';
export { type CheckSubject, LIMIT_FLAGS } from './subject.ts';
