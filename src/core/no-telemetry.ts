/**
 * onnxruntime keeps a queue of telemetry below the user's home unless this is set before its library is loaded. It is set with core,
 * which every process of ours loads first, as a thread's environment is a copy that the library does not see.
 */
process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
