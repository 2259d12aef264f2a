export { type Fact, type JointFacts, LIMIT_KEYS, type NamedFacts } from './joint-facts.ts';
export { isOwnLimits, noLimits, type OwnLimits, readOwnLimits } from './own-limits.ts';
export { type RosLimits, readRosLimits } from './ros-limits.ts';
