/** Node required by a supervisor: here the trials themselves drive, over the guard's socket. Ends on request. */
setInterval(() => undefined, 60_000);
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
