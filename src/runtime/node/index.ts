export { type EpisodeOptions, type EpisodeResult, EpisodeRunner, type EpisodeRunnerOptions } from './episode-runner.ts';
