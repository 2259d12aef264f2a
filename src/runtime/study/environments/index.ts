export { completed, type DemonstrationSpec, demonstrations } from './demonstrations.ts';
export { createStudyEnvironment, type EnvironmentOptions, type StudyEnvironment } from './environments.ts';
