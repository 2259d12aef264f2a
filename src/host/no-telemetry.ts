/**
 * onnxruntime keeps a telemetry queue in the user's home unless this is set before its library is loaded. It is set by core,
 * which every Rein process loads first, because a thread's environment is a copy that the library does not see.
 */
process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
