/** Trace of a run, as MCAP: the library is loaded only by those who write or read it. */
export { type Channel, Translation } from './trace/channels.ts';
export { TraceReader } from './trace/trace-reader.ts';
export { TraceRecorder } from './trace/trace-recorder.ts';
