/** The trace of a run, as MCAP: who writes and reads it loads the library for it. */
export { type Channel, Translation } from './trace/channels.ts';
export { TraceReader } from './trace/trace-reader.ts';
export { TraceRecorder } from './trace/trace-recorder.ts';
