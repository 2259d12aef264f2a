/** Import of robots: from an MJCF or URDF and its limits to a checked robot model, and to a robot file. */
export { loadCheckSubject, loadModelSubject } from './load-subject.ts';
export type { ModelSubject } from './model-subject.ts';
export { type ImportedFile, robotFileText } from './robot-text.ts';
export type { RosAsked } from './ros-driver-text.ts';
export { type CheckSubject, LIMIT_FLAGS } from './subject.ts';
