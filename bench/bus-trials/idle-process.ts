/** The node that a supervisor wants: here the trials themselves drive, over the guard's socket. Ends when it is asked to. */
setInterval(() => undefined, 60_000);
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
